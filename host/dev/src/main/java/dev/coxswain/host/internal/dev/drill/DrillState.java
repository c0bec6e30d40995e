// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import java.util.List;
import java.util.Set;

/**
 * What the admin API and the API server show at one moment of a drill.
 *
 * <p>Thread rule: immutable.
 *
 * @param causes the causes of failures, those of the most items first
 * @param paused the controllers that are paused as a whole
 * @param rate how many retries a second the limiter allows
 * @param degraded whether the replicas do not share the limiter now
 * @param overridden whether that is an override
 * @param repaired whether the quota is large enough
 * @param retried the causes that were retried by an operation since it is
 */
record DrillState(
    List<Cause> causes,
    Set<String> paused,
    double rate,
    boolean degraded,
    boolean overridden,
    boolean repaired,
    Set<String> retried) {

  /**
   * A cause of failures.
   *
   * @param items how many items fail of it
   */
  record Cause(String id, String controller, long items, boolean paused) {}

  DrillState {
    causes = List.copyOf(causes);
    paused = Set.copyOf(paused);
    retried = Set.copyOf(retried);
  }

  /** Returns how many items fail. */
  long failing() {
    return causes.stream().mapToLong(Cause::items).sum();
  }
}
