// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The result of stopping a controller.
 *
 * <p>Thread rule: immutable.
 *
 * @param controller its name
 * @param finished attempts that ended by themselves during the drain
 * @param cancelled attempts that were cancelled at the limit and then ended
 * @param abandoned attempts that did not end after the cancel, as {@code namespace/name}, at most
 *     100
 * @param abandonedCount the number of abandoned attempts
 * @param remaining items left in the queue, by phase
 * @param took the duration of the drain
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
