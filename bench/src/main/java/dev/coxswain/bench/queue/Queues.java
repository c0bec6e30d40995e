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

/** Bare queues of the engine, with the options of a default controller and no telemetry. */
final class Queues {
  private Queues() {}

  static <K> WorkQueue<K> create() {
    RetryBudget budget =
        new LocalRetryBudget(
            "bench", RetryBudget.DEFAULT_RATE, RetryBudget.DEFAULT_BURST, Clock.system());
    return new WorkQueue<>(
        new QueueOptions<>(
            Backoff.standard(), Composition.ADMISSION, ControllerOptions.DEFAULT_AGING_STEP, null),
        Clock.system(),
        budget.openWaiter("bench"),
        ControllerTelemetry.NONE);
  }
}
