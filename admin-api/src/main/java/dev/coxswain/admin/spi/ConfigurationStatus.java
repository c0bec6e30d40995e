// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a replica: which one is in use, and why a changed file is not.
 *
 * <p>Thread rule: immutable.
 *
 * @param file the file, or empty when there is none
 * @param loadedAt when the configuration in use was loaded
 * @param changed the keys that the last reload has changed
 * @param restart the keys whose values in the file need a restart
 * @param settling the shared limiters of which other replicas may still have the limits before
 * @param errors why the current file is not in use, a line for each fault; empty when it is
 * @param rejectedAt when it was rejected, or null
 * @param reloads how often a changed file was used since the start
 * @param rejections how often a changed file was rejected since the start
 */
public record ConfigurationStatus(
    String file,
    Instant loadedAt,
    List<String> changed,
    List<String> restart,
    List<String> settling,
    List<String> errors,
    @Nullable Instant rejectedAt,
    long reloads,
    long rejections) {

  public ConfigurationStatus {
    changed = List.copyOf(changed);
    restart = List.copyOf(restart);
    settling = List.copyOf(settling);
    errors = List.copyOf(errors);
  }

  /** Returns the status of a configuration that was loaded at the start. */
  public static ConfigurationStatus started(String file, Instant loadedAt) {
    return new ConfigurationStatus(
        file, loadedAt, List.of(), List.of(), List.of(), List.of(), null, 0, 0);
  }

  /** Returns this status after a reload. */
  public ConfigurationStatus reloaded(Instant at, List<String> changed, List<String> restart) {
    return new ConfigurationStatus(
        file, at, changed, restart, settling, List.of(), null, reloads + 1, rejections);
  }

  /** Returns this status after a changed file was rejected. */
  public ConfigurationStatus rejected(Instant at, List<String> errors) {
    return new ConfigurationStatus(
        file, loadedAt, changed, restart, settling, errors, at, reloads, rejections + 1);
  }

  /** Returns this status with the limiters that are settling now. */
  public ConfigurationStatus withSettling(List<String> settling) {
    return new ConfigurationStatus(
        file, loadedAt, changed, restart, settling, errors, rejectedAt, reloads, rejections);
  }

  /** Returns the state in a word: {@code current}, {@code restartNeeded} or {@code rejected}. */
  public String state() {
    return !errors.isEmpty() ? "rejected" : restart.isEmpty() ? "current" : "restartNeeded";
  }
}
