// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.queue;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The counters of a queue, published by its event loop for everybody to read. Each number is whole;
 * two of them may be from different turns of the loop.
 *
 * <p>Thread rule: {@link #publish} on the queue's event loop, {@link #snapshot} any thread.
 */
public final class QueueCounters {

  private enum Slot {
    READY,
    DELAYED,
    WAITING_TOKEN,
    IN_FLIGHT,
    DIRTY,
    FAILING,
    OVERDUE,
    LAST_SEQ,
    ADDED,
    MERGED,
    RETRIED,
    OLDEST_READY,
    FIRST_DUE
  }

  private final AtomicLongArray values = new AtomicLongArray(Slot.values().length);

  /** Creates counters that are all zero. */
  public QueueCounters() {}

  /** Publishes the present numbers of {@code queue}. */
  public void publish(WorkQueue<?> queue) {
    QueueState<?> state = queue.state();
    set(Slot.READY, state.size(Phase.READY));
    set(Slot.DELAYED, state.size(Phase.DELAYED));
    set(Slot.WAITING_TOKEN, state.size(Phase.WAITING_TOKEN));
    set(Slot.IN_FLIGHT, state.size(Phase.IN_FLIGHT));
    set(Slot.DIRTY, state.dirty);
    set(Slot.FAILING, state.failing);
    set(Slot.OVERDUE, state.overdue);
    set(Slot.LAST_SEQ, state.lastSeq());
    set(Slot.ADDED, state.added);
    set(Slot.MERGED, state.merged);
    set(Slot.RETRIED, state.retried);
    set(Slot.OLDEST_READY, state.oldestReadySince());
    set(Slot.FIRST_DUE, state.firstDue());
  }

  /**
   * Returns the numbers published last.
   *
   * @param now the time of the clock
   * @param wall the same moment for display
   * @param longestInFlightNanos for how long the oldest attempt has been running
   * @param inFlightNanos the sum over all attempts of how long each has been running
   */
  public QueueSnapshot snapshot(
      long now, Instant wall, long longestInFlightNanos, long inFlightNanos) {
    int ready = count(Slot.READY);
    int delayed = count(Slot.DELAYED);
    return new QueueSnapshot(
        ready,
        delayed,
        count(Slot.WAITING_TOKEN),
        count(Slot.IN_FLIGHT),
        count(Slot.DIRTY),
        count(Slot.FAILING),
        count(Slot.OVERDUE),
        get(Slot.LAST_SEQ),
        get(Slot.ADDED),
        get(Slot.MERGED),
        get(Slot.RETRIED),
        ready == 0 ? 0 : Math.max(0, now - get(Slot.OLDEST_READY)),
        longestInFlightNanos,
        inFlightNanos,
        delayed == 0 ? null : wall.plusNanos(get(Slot.FIRST_DUE) - now),
        wall);
  }

  private int count(Slot slot) {
    return (int) get(slot);
  }

  private void set(Slot slot, long value) {
    values.setOpaque(slot.ordinal(), value);
  }

  private long get(Slot slot) {
    return values.getOpaque(slot.ordinal());
  }
}
