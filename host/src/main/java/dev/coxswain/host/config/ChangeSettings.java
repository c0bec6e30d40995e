// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import static java.util.Objects.requireNonNullElse;

import dev.coxswain.admin.ChangePolicy;
import dev.coxswain.controller.BulkRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How careful changes through the admin API must be, and where pauses are kept.
 *
 * <p>Thread rule: immutable.
 *
 * @param safeCount see {@link ChangePolicy#safeCount}
 * @param itemsPerSecond see {@link ChangePolicy#itemsPerSecond}
 * @param requireIfMatch see {@link ChangePolicy#requireIfMatch}
 * @param pauses where pauses are kept
 */
public record ChangeSettings(
    int safeCount, int itemsPerSecond, boolean requireIfMatch, Pauses pauses) {

  /** The default name of the ConfigMap with the pauses. */
  public static final String DEFAULT_PAUSES = "coxswain-pauses";

  /**
   * The ConfigMap with the pauses.
   *
   * @param enabled whether there is one; without it a pause holds on one replica until its end
   * @param namespace where it is
   * @param name how it is called
   * @param startTimeout after which time controllers start attempts without knowing their pauses;
   *     zero for never
   */
  public record Pauses(boolean enabled, String namespace, String name, Duration startTimeout) {}

  static ChangeSettings read(Section section) {
    Section pauses = section.section("pauses");
    ChangeSettings result =
        new ChangeSettings(
            requireNonNullElse(
                section.integer("safeCount", 0, BulkRequest.MAX_AFFECTED),
                ChangePolicy.DEFAULT.safeCount()),
            requireNonNullElse(
                section.integer("itemsPerSecond", 1, BulkRequest.MAX_AFFECTED),
                ChangePolicy.DEFAULT.itemsPerSecond()),
            requireNonNullElse(section.flag("requireIfMatch"), false),
            new Pauses(
                requireNonNullElse(pauses.flag("enabled"), true),
                requireNonNullElse(
                    pauses.text("namespace", ConfigurationLoader.DNS_LABEL, "a namespace"),
                    "default"),
                requireNonNullElse(
                    pauses.text("name", ConfigurationLoader.DNS_NAME, "the name of a ConfigMap"),
                    DEFAULT_PAUSES),
                requireNonNullElse(pauses.duration("startTimeout", Duration.ZERO), Duration.ZERO)));
    pauses.end();
    section.end();
    return result;
  }

  /**
   * Returns what the admin API goes by.
   *
   * @param controllers what is set for single controllers, by name
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
