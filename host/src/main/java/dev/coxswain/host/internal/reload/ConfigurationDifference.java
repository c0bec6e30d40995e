// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.reload;

import dev.coxswain.host.internal.config.ControllerSettings;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Kubernetes;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.config.KeyReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The difference between the configuration in force and one that was loaded later.
 *
 * <p>Thread rule: immutable.
 *
 * @param next the configuration that is to be in force: what was in force, with what can change
 *     without a restart
 * @param changed the keys that change with it, sorted
 * @param restart the keys that have other values than at the start, and need a restart; sorted
 */
record ConfigurationDifference(
    CoxswainConfiguration next, List<String> changed, List<String> restart) {

  /** What a controller without a section has. */
  private static final Map<String, Object> NO_SECTION =
      Map.of("enabled", true, "protected", false, "config", Map.of());

  /** A name that the user chooses; those of loggers contain dots. */
  private static final Pattern NAMED =
      Pattern.compile("^(?:(controllers|limiters)\\.[^.]+|(logging\\.levels)\\..+)");

  private static final Map<String, Function<CoxswainConfiguration, Object>> SECTIONS =
      Map.ofEntries(
          Map.entry("replicaName", CoxswainConfiguration::replicaName),
          Map.entry("drainLimit", CoxswainConfiguration::drainLimit),
          Map.entry("admin", CoxswainConfiguration::admin),
          Map.entry("metrics", CoxswainConfiguration::metrics),
          Map.entry(
              "health", all -> List.of(all.health(), all.exhaustedLimit(), all.carrierWaitLimit())),
          Map.entry(
              "kubernetes",
              all ->
                  List.of(
                      String.valueOf(all.kubernetes().kubeconfig()), all.kubernetes().clusters())),
          Map.entry("membership", CoxswainConfiguration::membership),
          Map.entry("sharedLimiter", CoxswainConfiguration::sharedLimiter),
          Map.entry("changes", CoxswainConfiguration::changes),
          Map.entry("webhooks", CoxswainConfiguration::webhooks),
          Map.entry("plugins", CoxswainConfiguration::plugins));

  ConfigurationDifference {
    changed = List.copyOf(changed);
    restart = List.copyOf(restart);
  }

  /**
   * Compares configurations.
   *
   * @param started the one of the start
   * @param current the one in force
   * @param loaded the one that was loaded now
   */
  static ConfigurationDifference of(
      LoadedConfiguration started, CoxswainConfiguration current, LoadedConfiguration loaded) {
    CoxswainConfiguration wanted = loaded.configuration();
    Logging logging =
        new Logging(
            current.logging().format(), wanted.logging().level(), wanted.logging().levels());
    Map<String, Limiter> limiters = new HashMap<>(current.limiters());
    limiters.replaceAll((name, limits) -> wanted.limiters().getOrDefault(name, limits));
    Map<String, ControllerSettings> controllers = new HashMap<>();
    for (String name : union(current.controllers(), wanted.controllers())) {
      controllers.put(name, current.controller(name).reloaded(wanted.controller(name)));
    }
    CoxswainConfiguration next =
        current
            .withLogging(logging)
            .withLimiters(limiters)
            .withControllers(controllers)
            .withKubernetes(
                new Kubernetes(
                    current.kubernetes().kubeconfig(),
                    wanted.kubernetes().watchNamespaces(),
                    wanted.kubernetes().watchNamespaceSelector(),
                    current.kubernetes().clusters()));
    Map<String, Object> before = reloaded(current);
    Map<String, Object> after = reloaded(next);
    Set<String> changed = union(before, after);
    changed.removeIf(key -> Objects.equals(before.get(key), after.get(key)));
    return new ConfigurationDifference(
        next, List.copyOf(changed), List.copyOf(restart(started, loaded)));
  }

  /** Returns the values that can change without a restart, by key. */
  private static Map<String, Object> reloaded(CoxswainConfiguration of) {
    Map<String, Object> values = new TreeMap<>();
    values.put("logging.level", of.logging().level());
    of.logging().levels().forEach((name, level) -> values.put("logging.levels." + name, level));
    values.put("kubernetes.watchNamespaces", of.kubernetes().watchNamespaces());
    values.put("kubernetes.watchNamespaceSelector", of.kubernetes().watchNamespaceSelector());
    of.controllers()
        .forEach((name, settings) -> {
          if (!settings.watchNamespaces().isEmpty()) {
            values.put("controllers." + name + ".watchNamespaces", settings.watchNamespaces());
          }
          Integer concurrency = settings.concurrency();
          if (concurrency != null) {
            values.put("controllers." + name + ".concurrency", concurrency);
          }
        });
    of.limiters()
        .forEach((name, limits) -> {
          String key = "limiters." + name;
          values.put(key + ".rate", limits.rate());
          values.put(key + ".burst", limits.burst());
          values.put(key + ".maxRate", limits.maxRate());
          values.put(key + ".maxBurst", limits.maxBurst());
        });
    return values;
  }

  private static Set<String> restart(LoadedConfiguration started, LoadedConfiguration loaded) {
    CoxswainConfiguration before = started.configuration();
    CoxswainConfiguration after = loaded.configuration();
    Set<String> keys = union(started.values(), loaded.values());
    keys.removeIf(key ->
        KeyReference.isReloaded(NAMED.matcher(key).replaceFirst("$1$2.NAME"))
            || Objects.equals(value(started, key), value(loaded, key))
            || isSame(key.split("\\.", 2)[0], before, after));
    for (String name : union(before.limiters(), after.limiters())) {
      if (before.limiters().containsKey(name) != after.limiters().containsKey(name)) {
        keys.add("limiters." + name);
      }
    }
    return keys;
  }

  private static @Nullable Object value(LoadedConfiguration of, String key) {
    String[] parts = key.split("\\.", -1);
    Object otherwise =
        parts.length == 3 && parts[0].equals("controllers") ? NO_SECTION.get(parts[2]) : null;
    Object own = of.values().get(key);
    return own == null ? otherwise : own;
  }

  /** Returns whether a section is the same: a default may be given in one of them. */
  private static boolean isSame(String top, CoxswainConfiguration a, CoxswainConfiguration b) {
    Function<CoxswainConfiguration, Object> section = SECTIONS.get(top);
    return section != null && section.apply(a).equals(section.apply(b));
  }

  private static Set<String> union(Map<String, ?> a, Map<String, ?> b) {
    Set<String> all = new TreeSet<>(a.keySet());
    all.addAll(b.keySet());
    return all;
  }
}
