// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.QueueCounters;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ControllerStatus.Ended;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.QueueSnapshot;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Numbers that the event loop publishes at the end of every turn. All numbers of one reading are
 * from the same turn.
 *
 * <p>Thread rule: {@link #publish} on the event loop, the rest any thread.
 */
public final class Gauges {
  // One small record per turn, not per event, published with a release store.

  private final AtomicReference<Turn> latest;
  private final Clock clock;

  /** Creates the gauges of a controller that has not begun. */
  public Gauges(Clock clock, int concurrency) {
    this.clock = clock;
    QueueCounters none = new QueueCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    latest =
        new AtomicReference<>(new Turn(none, 0, 0, 0, 0, concurrency, State.SYNCING, Ended.NONE));
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
  public record Turn(
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

  /** Returns the numbers of the last turn. */
  public Turn latest() {
    return latest.getAcquire();
  }

  public QueueSnapshot snapshot() {
    Turn turn = latest();
    long now = clock.nanos();
    long longest = turn.attempts == 0 ? 0 : Math.max(0, now - turn.oldestStart);
    long sum = Math.max(0, turn.attempts * now - turn.startSum);
    return turn.queue.snapshot(now, clock.instant(), longest, sum);
  }
}
