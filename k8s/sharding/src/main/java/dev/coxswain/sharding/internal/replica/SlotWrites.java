// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.spi.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The writes of each slot that the API server has not answered. One that was given up may still
 * take effect for as long as a request lives: the server may have received it just before.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
final class SlotWrites {

  private final Clock clock;
  private final Map<Integer, Pending> bySlot = new ConcurrentHashMap<>();

  SlotWrites(Clock clock) {
    this.clock = clock;
  }

  /** Counts a write that is about to be sent; the result is called with whether it was answered. */
  Consumer<Boolean> sending(int slot) {
    Pending pending = bySlot.computeIfAbsent(slot, _ -> new Pending());
    pending.begin();
    return answered -> pending.end(clock.nanos(), answered);
  }

  /** Returns how many writes of a slot have no answer; those given up count as one. */
  int unanswered(int slot) {
    Pending pending = bySlot.get(slot);
    return pending == null ? 0 : pending.unanswered();
  }

  /**
   * Returns when the last write without an answer was given up, now while one is in flight; any
   * value when there is none.
   */
  long lastUnanswered(int slot) {
    Pending pending = bySlot.get(slot);
    return pending == null ? 0 : pending.lastUnanswered(clock.nanos());
  }

  /** The writes of one slot. */
  private static final class Pending {
    private int inFlight;
    private boolean givenUp;
    private long lastGivenUp;

    synchronized void begin() {
      inFlight++;
    }

    synchronized void end(long now, boolean answered) {
      inFlight--;
      if (!answered) {
        givenUp = true;
        lastGivenUp = now;
      }
    }

    synchronized int unanswered() {
      return inFlight + (givenUp ? 1 : 0);
    }

    synchronized long lastUnanswered(long now) {
      return inFlight > 0 ? now : lastGivenUp;
    }
  }
}
