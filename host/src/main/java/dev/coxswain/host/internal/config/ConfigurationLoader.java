// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNullElse;

import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.config.ControllerSettings.BackoffSettings;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Kubernetes;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.config.reader.KeyListener;
import dev.coxswain.host.internal.config.reader.Overrides;
import dev.coxswain.host.internal.config.reader.Section;
import dev.coxswain.host.internal.config.reader.Tree;
import dev.coxswain.host.internal.config.reader.YamlReader;
import dev.coxswain.host.internal.tracing.TracingSettings;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.retry.Composition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Loader of {@link CoxswainConfiguration}: defaults, then the file, then environment variables,
 * then flags; the later wins.
 *
 * <p>Thread rule: stateless; reads a file, so not on an event loop.
 */
public final class ConfigurationLoader {

  static final Pattern DNS_LABEL = Section.DNS_LABEL;
  static final Pattern DNS_NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
  static final Pattern ADDRESS = Pattern.compile("[A-Za-z0-9.:_-]{1,253}");
  private static final Pattern LOGGER = Pattern.compile("[A-Za-z0-9_.$]{1,200}");
  static final Duration MILLISECOND = Duration.ofMillis(1);
  static final int MAX_PORT = 65_535;

  /** Each namespace is a list and a watch for each kind of objects. */
  public static final int MAX_WATCH_NAMESPACES = 64;

  /** Each cluster is a list and a watch for each kind of objects, and connections of its own. */
  private static final int MAX_CLUSTERS = 16;

  private ConfigurationLoader() {}

  /**
   * Reads the configuration.
   *
   * @param file the file, or null for none
   * @param environment the environment variables
   * @param settings {@code path=value} flags
   * @throws ConfigurationException with one line for each fault
   */
  public static CoxswainConfiguration load(
      @Nullable Path file, Map<String, String> environment, List<String> settings)
      throws ConfigurationException {
    return file == null
        ? read(Tree.Branch.empty("defaults"), environment, settings, KeyListener.NONE)
        : read(file, contents(file), environment, settings, KeyListener.NONE);
  }

  /**
   * Reads the configuration from the contents of its file.
   *
   * @param file the file, for messages
   * @param contents its contents
   * @param environment the environment variables
   * @param settings {@code path=value} flags
   * @param keys receives the keys that it has, and their values
   * @throws ConfigurationException with one line for each fault
   */
  public static CoxswainConfiguration read(
      Path file,
      byte[] contents,
      Map<String, String> environment,
      List<String> settings,
      KeyListener keys)
      throws ConfigurationException {
    String text;
    try {
      text = UTF_8.newDecoder().decode(ByteBuffer.wrap(contents)).toString();
    } catch (CharacterCodingException e) {
      throw new ConfigurationException(List.of(file + ": not UTF-8 text"));
    }
    Tree.Branch root = YamlReader.readFile(text, file.toString());
    checkKind(root, file.toString());
    return read(root, environment, settings, keys);
  }

  private static CoxswainConfiguration read(
      Tree.Branch root, Map<String, String> environment, List<String> settings, KeyListener keys)
      throws ConfigurationException {
    Overrides.environment(root, environment);
    Overrides.flags(root, settings);
    List<String> problems = new ArrayList<>();
    CoxswainConfiguration result = read(new Section(root, "", problems, keys), environment);
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return result;
  }

  /**
   * Returns the contents of a file.
   *
   * @throws ConfigurationException when it cannot be read
   */
  public static byte[] contents(Path file) throws ConfigurationException {
    String why;
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      why = "no such file";
    } catch (IOException e) {
      why = Files.isDirectory(file) ? "is a directory, expected a file" : "cannot be read";
    }
    throw new ConfigurationException(List.of(file + ": " + why));
  }

  private static void checkKind(Tree.Branch root, String source) throws ConfigurationException {
    Section header = new Section(root, "", new ArrayList<>());
    String version = header.text("apiVersion");
    String kind = header.text("kind");
    if (!CoxswainConfiguration.API_VERSION.equals(version)
        || !CoxswainConfiguration.KIND.equals(kind)) {
      throw new ConfigurationException(
          List.of(
              "%s: expected apiVersion \"%s\" and kind \"%s\", found %s and %s"
                  .formatted(
                      source,
                      CoxswainConfiguration.API_VERSION,
                      CoxswainConfiguration.KIND,
                      version == null ? "no apiVersion" : "\"" + version + "\"",
                      kind == null ? "no kind" : "\"" + kind + "\"")));
    }
  }

  static CoxswainConfiguration read(Section root, Map<String, String> environment) {
    String hostName = environment.get("HOSTNAME");
    root.text("apiVersion");
    root.text("kind");
    Map<String, Limiter> limiters = LimiterSections.limiters(root.section("limiters"));
    Section health = root.section("health");
    Duration exhaustedLimit =
        health.duration("workersExhaustedLimit", Duration.ZERO, Duration.ZERO);
    Duration carrierWaitLimit =
        health.duration(
            "carrierWaitLimit", Duration.ZERO, CoxswainConfiguration.DEFAULT_CARRIER_WAIT_LIMIT);
    CoxswainConfiguration result =
        new CoxswainConfiguration(
            root.text(
                "replicaName",
                DNS_NAME,
                "a name of a-z, 0-9, '-' and '.'",
                hostName != null && DNS_NAME.matcher(hostName).matches() ? hostName : "coxswain"),
            root.duration("drainLimit", Duration.ZERO, CoxswainConfiguration.DEFAULT_DRAIN_LIMIT),
            root.section("logging", ConfigurationLoader::logging),
            root.section("admin", AdminSection::read),
            root.section("metrics", MetricsSettings::read),
            address(health, CoxswainConfiguration.DEFAULT_HEALTH_PORT),
            exhaustedLimit,
            carrierWaitLimit,
            root.section("kubernetes", ConfigurationLoader::kubernetes),
            root.section("membership", MembershipSection::read),
            root.section("sharedLimiter", LimiterSections::sharedLimiter),
            root.section("changes", ChangeSettings::read),
            root.section("webhooks", WebhookSection::read),
            root.section("plugins", PluginSettings::read),
            root.section("tracing", section -> TracingSettings.read(section, environment)),
            root.section("controllers")
                .each(
                    DNS_LABEL,
                    "the name of a controller: use a-z, 0-9 and '-'",
                    section -> controller(section, limiters)),
            limiters);
    health.end();
    root.end();
    LimiterSections.check(root, result);
    Ports.check(root, result);
    return result;
  }

  private static Logging logging(Section section) {
    Section names = section.section("levels");
    Map<String, Logging.Level> levels = new LinkedHashMap<>();
    names
        .names(LOGGER)
        .forEach(name -> {
          Logging.Level level = names.oneOf(name, Logging.Level.class);
          if (!LOGGER.matcher(name).matches()) {
            names.fault(name, "the name of a logger");
          } else if (level != null) {
            levels.put(name, level);
          }
        });
    return new Logging(
        section.oneOf("format", Logging.Format.TEXT),
        section.oneOf("level", Logging.Level.INFO),
        levels);
  }

  static Listener address(Section section, int defaultPort) {
    return new Listener(
        section.text("host", ADDRESS, "an address or a host name", CoxswainConfiguration.LOOPBACK),
        section.integer("port", 0, MAX_PORT, defaultPort));
  }

  private static Set<String> watchNamespaces(Section section) {
    return Set.copyOf(
        new HashSet<>(
            section.texts(
                "watchNamespaces", DNS_LABEL, "names of namespaces", MAX_WATCH_NAMESPACES)));
  }

  private static Kubernetes kubernetes(Section section) {
    String file = section.text("kubeconfig");
    Set<String> names = watchNamespaces(section);
    return new Kubernetes(file, names, watchNamespaceSelector(section, names), clusters(section));
  }

  private static String watchNamespaceSelector(Section section, Set<String> names) {
    String selector = requireNonNullElse(section.text("watchNamespaceSelector"), "");
    try {
      LabelSelector.parse(selector);
    } catch (IllegalArgumentException e) {
      section.fault("watchNamespaceSelector", "a label selector, such as team=shop");
    }
    if (!selector.isEmpty() && !names.isEmpty()) {
      section.fault(
          "watchNamespaceSelector", "either watchNamespaces or watchNamespaceSelector, not both");
    }
    return selector;
  }

  private static Map<String, String> clusters(Section kubernetes) {
    Map<String, String> files =
        kubernetes
            .section("clusters")
            .each(
                DNS_LABEL,
                "the name of a cluster: use a-z, 0-9 and '-'",
                cluster -> {
                  String file = cluster.text("kubeconfig");
                  if (file == null) {
                    cluster.fault("kubeconfig", "a kubeconfig file");
                  }
                  return requireNonNullElse(file, "");
                });
    if (files.size() > MAX_CLUSTERS) {
      kubernetes.fault(
          "clusters", "at most %s clusters, found %s".formatted(MAX_CLUSTERS, files.size()));
    }
    return files;
  }

  private static ControllerSettings controller(Section section, Map<String, Limiter> limiters) {
    ControllerSettings result =
        new ControllerSettings(
            section.flag("enabled", true),
            section.integer("concurrency", 1, ControllerOptions.MAX_CONCURRENCY),
            section.duration("reconcileTimeout", Duration.ZERO),
            section.section("backoff", ConfigurationLoader::backoff),
            section.oneOf("composition", Composition.class),
            section.text("budget"),
            section.duration("failureCooldown", Duration.ZERO),
            section.flag("fairFlows"),
            section.duration("agingStep", Duration.ZERO),
            section.oneOf("ownership", ControllerOptions.Ownership.class),
            section.duration("syncTimeout", Duration.ZERO),
            section.oneOf("threads", ControllerOptions.Threads.class),
            watchNamespaces(section),
            section.flag("protected", false),
            section.free("config"),
            section.origin());
    if (result.budget() != null && !limiters.containsKey(result.budget())) {
      section.fault(
          "budget",
          "the name of a limiter; \"%s\" is not one: %s"
              .formatted(result.budget(), Suggestions.of(result.budget(), limiters.keySet())));
    }
    return result;
  }

  private static @Nullable BackoffSettings backoff(Section section) {
    Duration base = section.duration("base", MILLISECOND);
    Duration max = section.duration("max", MILLISECOND);
    Double jitter = section.number("jitter", 0, 1);
    if (base == null && max == null && jitter == null) {
      return null;
    }
    if (base != null && max != null && max.compareTo(base) < 0) {
      section.fault("max", "a duration not shorter than base");
    }
    return new BackoffSettings(base, max, jitter);
  }
}
