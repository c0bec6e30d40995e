// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.controller.ControllerStatus.State;
import dev.coxswain.queue.QueueCounters;
import dev.coxswain.queue.QueueSnapshot;
import dev.coxswain.queue.WorkQueue;
import dev.coxswain.time.Clock;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers that the event loop publishes at the end of every turn and that anybody may read. Each
 * number is whole; two of them may be from different turns.
 *
 * <p>Thread rule: {@link #publish} on the event loop, the rest any thread.
 */
final class Gauges {
  // Opaque stores: a dozen of them cost a few nanoseconds, and no reader needs an order among them.

  private enum Slot {
    ACTIVE,
    OLDEST_START,
    HAS_OLDEST,
    START_SUM,
    IN_FLIGHT,
    CONCURRENCY,
    STATE
  }

  private static final State[] STATES = State.values();

  private final AtomicLongArray values = new AtomicLongArray(Slot.values().length);
  private final QueueCounters counters = new QueueCounters();
  private final Clock clock;

  Gauges(Clock clock) {
    this.clock = clock;
  }

  void publish(
      WorkQueue<?> queue,
      int active,
      long oldestStart,
      boolean hasOldest,
      long startSum,
      int inFlight,
      int concurrency,
      State state) {
    counters.publish(queue);
    set(Slot.ACTIVE, active);
    set(Slot.OLDEST_START, oldestStart);
    set(Slot.HAS_OLDEST, hasOldest ? 1 : 0);
    set(Slot.START_SUM, startSum);
    set(Slot.IN_FLIGHT, inFlight);
    set(Slot.CONCURRENCY, concurrency);
    set(Slot.STATE, state.ordinal());
  }

  private void set(Slot slot, long value) {
    values.setOpaque(slot.ordinal(), value);
  }

  private long get(Slot slot) {
    return values.getOpaque(slot.ordinal());
  }

  State state() {
    return STATES[(int) get(Slot.STATE)];
  }

  int active() {
    return (int) get(Slot.ACTIVE);
  }

  int concurrency() {
    return (int) get(Slot.CONCURRENCY);
  }

  QueueSnapshot snapshot() {
    long now = clock.nanos();
    long longest = get(Slot.HAS_OLDEST) == 0 ? 0 : Math.max(0, now - get(Slot.OLDEST_START));
    long sum = Math.max(0, get(Slot.IN_FLIGHT) * now - get(Slot.START_SUM));
    return counters.snapshot(now, clock.instant(), longest, sum);
  }
}
