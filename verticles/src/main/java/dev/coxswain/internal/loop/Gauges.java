// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.QueueCounters;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ControllerStatus.Ended;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.QueueSnapshot;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that the event loop publishes at the end of every turn. All numbers of one reading are
 * from the same turn.
 *
 * <p>Thread rule: {@link #publish} on the event loop, the rest any thread.
 */
public final class Gauges {
  // One small record per turn, not per event, published with a release store.

  private final AtomicReference<@Nullable Turn> latest = new AtomicReference<>();
  private final Clock clock;

  public Gauges(Clock clock) {
    this.clock = clock;
  }

  /**
   * The numbers of one turn.
   *
   * @param queue the queue
   * @param active how many workers are busy
   * @param oldestStart when the oldest attempt began; only when there are any
   * @param startSum the sum of the starts of all attempts
   * @param attempts how many attempts there are
   * @param concurrency how many workers there are
   * @param state the phase of the controller's life
   * @param ended how many attempts have ended, by outcome
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

  public State state() {
    Turn turn = latest.getAcquire();
    return turn == null ? State.SYNCING : turn.state;
  }

  public Ended ended() {
    Turn turn = latest.getAcquire();
    return turn == null ? Ended.NONE : turn.ended;
  }

  public int active() {
    Turn turn = latest.getAcquire();
    return turn == null ? 0 : turn.active;
  }

  public int concurrency(int initial) {
    Turn turn = latest.getAcquire();
    return turn == null ? initial : turn.concurrency;
  }

  public QueueSnapshot snapshot() {
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
