// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what is due. Of several missed runs only the last is started.
 *
 * <p>Thread rule: immutable.
 */
final class CronPlanner {

  /** Missed runs are counted one by one up to here. */
  static final int MAX_COUNTED = 100;

  private final Schedule schedule;
  private final Optional<Duration> startingDeadline;

  CronPlanner(Schedule schedule, Optional<Duration> startingDeadline) {
    this.schedule = schedule;
    this.startingDeadline = startingDeadline;
  }

  /**
   * What is due at a moment.
   *
   * @param due the run to start now, or that would be too late; empty for none
   * @param tooLate whether its starting deadline has passed
   * @param missed how many earlier runs were missed, at most {@link #MAX_COUNTED}
   * @param next the first due time after now
   */
  record Plan(Optional<Instant> due, boolean tooLate, int missed, Instant next) {}

  /**
   * Returns what is due.
   *
   * @param after the due time of the last run, or when the task was created
   * @param now the present
   */
  Plan plan(Instant after, Instant now) {
    Optional<Instant> due = schedule.latest(after, now);
    boolean tooLate =
        due.isPresent()
            && startingDeadline.filter(limit -> now.isAfter(due.get().plus(limit))).isPresent();
    return new Plan(
        due,
        tooLate,
        due.map(latest -> missed(after, latest)).orElse(0),
        next(due.orElse(after), now));
  }

  private int missed(Instant after, Instant latest) {
    int missed = 0;
    Instant time = schedule.after(after);
    while (time.isBefore(latest) && missed < MAX_COUNTED) {
      missed++;
      time = schedule.after(time);
    }
    return missed;
  }

  private Instant next(Instant from, Instant now) {
    Instant next = schedule.after(from);
    return next.isAfter(now) ? next : schedule.after(now);
  }
}
