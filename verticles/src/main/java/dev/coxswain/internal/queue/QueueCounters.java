// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.view.QueueSnapshot;
import java.time.Instant;

/**
 * The raw counters of a queue at one moment, read on its event loop. Times are values of the
 * queue's clock.
 *
 * <p>Thread rule: immutable; {@link #of} on the queue's event loop.
 *
 * @param ready items that wait for a worker
 * @param delayed items that are not due
 * @param waitingToken retries that wait for a token
 * @param inFlight items that are being reconciled
 * @param dirty in-flight items that were added again
 * @param failing items with at least one failure in a row, the terminal ones included
 * @param terminal items that are out of the queue after a terminal failure
 * @param terminalEvicted how many terminal items were evicted because there were too many
 * @param overdue in-flight items past their time limit
 * @param lastSeq the sequence number given to the youngest item
 * @param added how many times an item became ready, or was handed out with a token
 * @param merged how many additions were merged into an existing item
 * @param delays how many times an item was scheduled for later
 * @param oldestReadySince since when the oldest ready item has been ready; only when there is one
 * @param firstDue when the first delayed item is due; only when there is one
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
        delayed == 0 ? null : wall.plusNanos(firstDue - now),
        wall);
  }
}
