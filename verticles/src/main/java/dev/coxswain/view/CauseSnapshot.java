// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One cause of the failures of a controller, as this replica has seen it.
 *
 * <p>Thread rule: immutable.
 *
 * @param id the name of the cause, see {@link FailurePattern#id}
 * @param pattern what its failures have in common
 * @param items how many items are failing whose last failure has this cause
 * @param failures how many attempts have failed of it since it was first seen here
 * @param firstSeen when an attempt failed of it first here
 * @param lastSeen when an attempt failed of it last here
 * @param trend the failures in each {@link #TREND_STEP} of the last hour, the oldest first
 * @param samples some of the objects that have failed of it
 * @param stack the stack trace of one of its failures, without messages; null when it is not kept
 * @param pause since when and why items that have failed of it are not retried; null when they are
 */
public record CauseSnapshot(
    String id,
    FailurePattern pattern,
    int items,
    long failures,
    Instant firstSeen,
    Instant lastSeen,
    List<Integer> trend,
    List<ItemId> samples,
    @Nullable String stack,
    ControllerStatus.@Nullable Pause pause) {

  /** The number of values of {@link #trend}. */
  public static final int TREND_STEPS = 12;

  /** The time that one value of {@link #trend} counts. */
  public static final Duration TREND_STEP = Duration.ofMinutes(5);

  public CauseSnapshot {
    trend = List.copyOf(trend);
    samples = List.copyOf(samples);
  }

  /**
   * How many items are failing of one cause.
   *
   * <p>Thread rule: immutable.
   *
   * @param number the name of the cause as a number, see {@link FailurePattern#number}
   * @param items how many items are failing whose last failure has this cause
   * @param lastSeen when an attempt failed of it last here
   */
  public record Count(long number, int items, Instant lastSeen) {}
}
