// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.admin.internal.options.ChangePolicy;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.host.internal.config.reader.Section;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rules for changes through the admin API, and where pauses and the history are stored.
 *
 * <p>Thread rule: immutable.
 *
 * @param safeCount see {@link ChangePolicy#safeCount}
 * @param itemsPerSecond see {@link ChangePolicy#itemsPerSecond}
 * @param requireIfMatch see {@link ChangePolicy#requireIfMatch}
 * @param pauses the store of pauses
 * @param history the store of finished operations and audit records
 * @param events the Kubernetes Events of the cluster
 */
public record ChangeSettings(
    int safeCount,
    int itemsPerSecond,
    boolean requireIfMatch,
    Pauses pauses,
    History history,
    Events events) {

  /** The default name of the ConfigMap with the pauses. */
  public static final String DEFAULT_PAUSES = "coxswain-pauses";

  /** The default name of the ConfigMap with the history. */
  public static final String DEFAULT_HISTORY = "coxswain-history";

  /**
   * The ConfigMap with finished operations and audit records.
   *
   * @param enabled whether there is one; without it they are lost when the replicas restart
   * @param namespace its namespace
   * @param name its name
   */
  public record History(boolean enabled, String namespace, String name) {}

  /**
   * The Kubernetes Events about what has happened to the whole cluster, in the namespace of the replica
   * Leases.
   *
   * @param enabled whether they are written
   * @param deployment the name of the Deployment that they are about; empty for the first replica Lease
   */
  public record Events(boolean enabled, String deployment) {}

  /**
   * The ConfigMap with the pauses.
   *
   * @param enabled whether there is one; without it a pause holds on one replica until its end
   * @param namespace its namespace
   * @param name its name
   * @param startTimeout the time after which controllers start attempts although their pauses are
   *     unknown; zero for never
   */
  public record Pauses(boolean enabled, String namespace, String name, Duration startTimeout) {}

  static ChangeSettings read(Section section) {
    ChangePolicy otherwise = ChangePolicy.DEFAULT;
    return new ChangeSettings(
        section.integer("safeCount", 0, BulkRequest.MAX_AFFECTED, otherwise.safeCount()),
        section.integer("itemsPerSecond", 1, BulkRequest.MAX_AFFECTED, otherwise.itemsPerSecond()),
        section.flag("requireIfMatch", false),
        section.section("pauses", ChangeSettings::pauses),
        section.section("history", ChangeSettings::history),
        section.section("events", ChangeSettings::events));
  }

  private static History history(Section section) {
    return new History(
        section.flag("enabled", true),
        section.namespace(),
        section.text(
            "name", ConfigurationLoader.DNS_NAME, "the name of a ConfigMap", DEFAULT_HISTORY));
  }

  private static Events events(Section section) {
    return new Events(
        section.flag("enabled", true),
        section.text("deployment", ConfigurationLoader.DNS_NAME, "the name of a Deployment", ""));
  }

  private static Pauses pauses(Section section) {
    return new Pauses(
        section.flag("enabled", true),
        section.namespace(),
        section.text(
            "name", ConfigurationLoader.DNS_NAME, "the name of a ConfigMap", DEFAULT_PAUSES),
        section.duration("startTimeout", Duration.ZERO, Duration.ZERO));
  }

  /**
   * Returns the policy of the admin API.
   *
   * @param controllers the settings of single controllers, by name
   */
  public ChangePolicy policy(Map<String, ControllerSettings> controllers) {
    Set<String> guarded =
        controllers.entrySet().stream()
            .filter(entry -> entry.getValue().guarded())
            .map(Map.Entry::getKey)
            .collect(Collectors.toUnmodifiableSet());
    return new ChangePolicy(safeCount, itemsPerSecond, requireIfMatch, guarded);
  }
}
