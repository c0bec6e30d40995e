// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.view.QueueSnapshot;
import java.time.Instant;

/**
 * The raw counters of a queue at one moment, read on its event loop; those of the same name are in
 * {@link QueueSnapshot}. Times are values of the queue's clock.
 *
 * <p>Thread rule: immutable; {@link #of} on the queue's event loop.
 *
 * @param delays how many times an item was scheduled for later
 * @param oldestReadySince since when the oldest ready item has been ready; only when there is one
 * @param firstDue when the first delayed item is due; {@link QueueState#NEVER} for none
 */
public record QueueCounters(
    int ready,
    int delayed,
    int waitingToken,
    int inFlight,
    int dirty,
    int failing,
    int terminal,
    long terminalEvicted,
    int overdue,
    long lastSeq,
    long added,
    long merged,
    long delays,
    long oldestReadySince,
    long firstDue) {

  /** Returns the present counters of {@code queue}. */
  public static QueueCounters of(WorkQueue<?> queue) {
    QueueState<?> state = queue.state();
    return new QueueCounters(
        state.ready.size(),
        state.delayed.size(),
        state.waiting.size(),
        state.inFlight,
        state.dirty,
        state.failing + state.terminal.size(),
        state.terminal.size(),
        state.terminal.evicted(),
        state.overdue,
        state.lastSeq(),
        state.added,
        state.merged,
        state.retried,
        state.oldestReadySince(),
        state.firstDue());
  }

  /**
   * Returns these counters with ages and times for display.
   *
   * @param now the time of the clock
   * @param wall the same moment for display
   * @param longestInFlightNanos for how long the oldest attempt has been running
   * @param inFlightNanos the sum over all attempts of how long each has been running
   */
  public QueueSnapshot snapshot(
      long now, Instant wall, long longestInFlightNanos, long inFlightNanos) {
    return new QueueSnapshot(
        ready,
        delayed,
        waitingToken,
        inFlight,
        dirty,
        failing,
        terminal,
        terminalEvicted,
        overdue,
        lastSeq,
        added,
        merged,
        delays,
        ready == 0 ? 0 : Math.max(0, now - oldestReadySince),
        longestInFlightNanos,
        inFlightNanos,
        firstDue == QueueState.NEVER ? null : wall.plusNanos(firstDue - now),
        wall);
  }
}
