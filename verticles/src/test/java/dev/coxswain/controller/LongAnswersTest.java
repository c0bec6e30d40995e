// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.queue.ItemFilter;
import dev.coxswain.queue.ItemPage;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.telemetry.ControllerTelemetry;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Questions about many items are answered in slices, between which everything else goes on. */
class LongAnswersTest {
  private static final int ITEMS = 300_000;

  @Test
  void pageThatMatchesNothing_looksAtEveryItem_inManyTurns() {
    VirtualTime time = new VirtualTime();
    int[] turns = new int[1];
    ControllerEngine<Request> engine =
        new ControllerEngine<>(
            Controller.named("big").reconciles((request, context) -> Result.done()),
            new ControllerRuntime(
                name -> new LocalRetryBudget(name, 10, 100, time),
                name -> ControllerTelemetry.NONE,
                time,
                Duration.ofSeconds(1)),
            new EngineThreads(
                task ->
                    time.execute(() -> {
                      turns[0]++;
                      task.run();
                    }),
                time,
                Runnable::run));
    engine.start();
    for (int i = 0; i < ITEMS; i++) {
      engine.sink().addAfter(Request.of("ns", "item-" + i), Duration.ofHours(1), 0, Trigger.EVENT);
    }
    time.settle();
    turns[0] = 0;
    ItemFilter none = new ItemFilter(Set.of(), true, 0, null, null, Long.MAX_VALUE);

    Future<ItemPage> page = engine.handle().list(none, null, 10);
    time.settle();

    assertThat(page.result().items()).isEmpty();
    assertThat(page.result().next()).isNull();
    // A slice is 2,000 items and at most one segment (about 1,200 items here) more.
    assertThat(turns[0]).isGreaterThan(ITEMS / 3_500);

    turns[0] = 0;
    Future<ItemPage> first = engine.handle().list(ItemFilter.ALL, null, 100);
    time.settle();
    assertThat(first.result().items()).hasSize(100);
    assertThat(turns[0]).as("a page that is full ends there").isLessThanOrEqualTo(2);
  }
}
