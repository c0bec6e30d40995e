// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.queue.QueueCounters;
import dev.coxswain.internal.queue.QueueOptions;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.QueueSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A reader between two stores of a turn must not see the age of the machine. */
class GaugesTest {
  /** A machine that has been up for 30 days; nothing here takes longer than a moment. */
  private static final long UPTIME = Duration.ofDays(30).toNanos();

  private static final Clock CLOCK =
      new Clock() {
        @Override
        public long nanos() {
          return UPTIME;
        }

        @Override
        public Instant instant() {
          return Instant.EPOCH;
        }
      };

  @Test
  @Timeout(60)
  void snapshot_whileTheLoopPublishes_neverShowsTheUptimeAsAnAge() throws InterruptedException {
    WorkQueue<String> queue =
        new WorkQueue<>(
            new QueueOptions<>(Backoff.standard(), Composition.ADMISSION, Duration.ZERO, null),
            CLOCK,
            new LocalRetryBudget("b", 10, 1, CLOCK).openWaiter("l"),
            ControllerTelemetry.NONE);
    Gauges gauges = new Gauges(CLOCK, 1);
    AtomicBoolean over = new AtomicBoolean();
    Thread loop =
        Thread.ofPlatform()
            .start(() -> {
              while (!over.get()) {
                queue.add("a", 0, Trigger.EVENT);
                gauges.publish(turn(queue, 1));
                queue.endings().succeed(Objects.requireNonNull(queue.next(UPTIME)));
                gauges.publish(turn(queue, 0));
              }
            });
    long ready = 0;
    long longest = 0;
    long sum = 0;
    for (int i = 0; i < 3_000_000 && (ready == 0 || longest == 0 || sum == 0); i++) {
      QueueSnapshot snapshot = gauges.snapshot();
      ready = Math.max(ready, snapshot.oldestReadyNanos());
      longest = Math.max(longest, snapshot.longestInFlightNanos());
      sum = Math.max(sum, snapshot.inFlightNanos());
    }
    over.set(true);
    loop.join();
    assertThat(new long[] {ready, longest, sum})
        .as("oldest ready, longest in flight, sum in flight; all are zero in truth")
        .containsOnly(0);
  }

  private static Gauges.Turn turn(WorkQueue<String> queue, int attempts) {
    return new Gauges.Turn(
        QueueCounters.of(queue),
        attempts,
        attempts * UPTIME,
        attempts * UPTIME,
        attempts,
        1,
        State.RUNNING,
        ControllerStatus.Ended.NONE);
  }
}
