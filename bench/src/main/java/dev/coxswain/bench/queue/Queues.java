// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.internal.queue.QueueOptions;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import java.time.Instant;

/** Bare queues of the engine, with the options of a default controller and no telemetry. */
final class Queues {
  private Queues() {}

  static <K> WorkQueue<K> create(Clock clock) {
    RetryBudget budget =
        new LocalRetryBudget(
            "bench", RetryBudget.DEFAULT_RATE, RetryBudget.DEFAULT_BURST, Clock.system());
    return new WorkQueue<>(
        new QueueOptions<>(
            Backoff.standard(), Composition.ADMISSION, ControllerOptions.DEFAULT_AGING_STEP, null),
        clock,
        budget.openWaiter("bench"),
        ControllerTelemetry.NONE);
  }

  /**
   * A clock that is read from the machine once in a while only, as if once a turn of the event
   * loop: shows how much of an operation is reading the time.
   */
  static final class TurnClock implements Clock {
    private static final int TURN = 1024;

    private long now = System.nanoTime();
    private int reads;

    @Override
    public long nanos() {
      if (++reads == TURN) {
        reads = 0;
        now = System.nanoTime();
      }
      return now;
    }

    @Override
    public Instant instant() {
      return Instant.now();
    }
  }
}
