// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How a controller stopped.
 *
 * <p>Thread rule: immutable.
 *
 * @param controller its name
 * @param finished attempts that ended by themselves during the drain
 * @param cancelled attempts that were cancelled at the limit and then ended
 * @param abandoned attempts that did not end even then, as {@code namespace/name}, at most 100
 * @param abandonedCount how many those are
 * @param remaining items that were left in the queue, by phase
 * @param took how long it took
 */
public record DrainReport(
    String controller,
    int finished,
    int cancelled,
    List<String> abandoned,
    int abandonedCount,
    Map<Phase, Integer> remaining,
    Duration took) {

  public DrainReport {
    abandoned = List.copyOf(abandoned);
    remaining = Map.copyOf(remaining);
  }
}
