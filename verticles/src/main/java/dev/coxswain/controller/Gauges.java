// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.controller.ControllerStatus.Ended;
import dev.coxswain.controller.ControllerStatus.State;
import dev.coxswain.queue.QueueCounters;
import dev.coxswain.queue.QueueSnapshot;
import dev.coxswain.time.Clock;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that the event loop publishes at the end of every turn and that anybody may read. All
 * numbers of one reading are from the same turn.
 *
 * <p>Thread rule: {@link #publish} on the event loop, the rest any thread.
 */
final class Gauges {
  // One small record for each turn, not for each event, handed over with a release store.

  private final AtomicReference<@Nullable Turn> latest = new AtomicReference<>();
  private final Clock clock;

  Gauges(Clock clock) {
    this.clock = clock;
  }

  /**
   * What one turn left behind.
   *
   * @param queue the queue
   * @param active how many workers are busy
   * @param oldestStart when the oldest attempt began; only when there are any
   * @param startSum the sum of the starts of all attempts
   * @param attempts how many attempts there are
   * @param concurrency how many workers there are
   * @param state where the controller is in its life
   * @param ended how the attempts so far have ended
   */
  record Turn(
      QueueCounters queue,
      int active,
      long oldestStart,
      long startSum,
      int attempts,
      int concurrency,
      State state,
      Ended ended) {}

  void publish(Turn turn) {
    latest.setRelease(turn);
  }

  State state() {
    Turn turn = latest.getAcquire();
    return turn == null ? State.SYNCING : turn.state;
  }

  Ended ended() {
    Turn turn = latest.getAcquire();
    return turn == null ? Ended.NONE : turn.ended;
  }

  int active() {
    Turn turn = latest.getAcquire();
    return turn == null ? 0 : turn.active;
  }

  int concurrency(int initial) {
    Turn turn = latest.getAcquire();
    return turn == null ? initial : turn.concurrency;
  }

  QueueSnapshot snapshot() {
    Turn turn = latest.getAcquire();
    long now = clock.nanos();
    if (turn == null) {
      return new QueueCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
          .snapshot(now, clock.instant(), 0, 0);
    }
    long longest = turn.attempts == 0 ? 0 : Math.max(0, now - turn.oldestStart);
    long sum = Math.max(0, turn.attempts * now - turn.startSum);
    return turn.queue.snapshot(now, clock.instant(), longest, sum);
  }
}
