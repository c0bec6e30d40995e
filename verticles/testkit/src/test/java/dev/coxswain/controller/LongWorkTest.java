// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Work on many items is done in slices, between which everything else goes on. */
class LongWorkTest {
  private static final int ITEMS = 300_000;
  private static final ItemFilter NONE = ItemFilter.ALL.withFailing(true);
  private static final ItemFilter LABELLED = ItemFilter.ALL.withLabelSelector("a");

  /** Holds objects without labels. */
  private final class Unlabelled extends SilentSource {
    @Override
    public Optional<Predicate<Request>> selecting(String labelSelector) {
      return Optional.of(request -> {
        looked += lookNanos;
        return false;
      });
    }
  }

  private final VirtualTime time = new VirtualTime();
  private long lookNanos;
  private long clockNanos;
  private long looked;

  /** On which a look at labels takes time, and one at the clock. */
  private final Clock clock =
      new Clock() {
        @Override
        public long nanos() {
          looked += clockNanos;
          return time.nanos() + looked;
        }

        @Override
        public Instant instant() {
          return time.instant();
        }
      };

  private int slices;
  private final ControllerEngine<Request> engine =
      new ControllerEngine<>(
          Controller.named("big")
              .watches(new Unlabelled())
              .reconciles((request, context) -> Result.done()),
          new ControllerRuntime(
              name -> new LocalRetryBudget(name, 10, 100, time),
              name -> ControllerTelemetry.NONE,
              clock,
              Duration.ofSeconds(1)),
          new EngineThreads(
              time,
              task ->
                  time.execute(() -> {
                    slices++;
                    task.run();
                  }),
              time,
              Runnable::run));

  @BeforeEach
  void fill() {
    engine.start();
    time.settle();
    for (int i = 0; i < ITEMS; i++) {
      engine
          .sink()
          .addAfter(Request.of("ns-" + i % 3, "item-" + i), Duration.ofHours(1), 0, Trigger.EVENT);
    }
  }

  @Test
  void deliveries_arriveInManySlices() {
    time.settle();

    assertThat(engine.handle().snapshot().total()).isEqualTo(ITEMS);
    assertThat(slices).isGreaterThan(ITEMS / 1_100);
  }

  @Test
  void itemsThatAreDueAtOnce_moveInManySlices() {
    engine.handle().pause("test", null);
    time.settle();
    slices = 0;

    time.advance(Duration.ofHours(1));

    assertThat(engine.handle().snapshot().ready()).isEqualTo(ITEMS);
    assertThat(slices).isGreaterThan(ITEMS / 1_100);
  }

  @Test
  void pageThatMatchesNothing_looksAtEveryItem_inManySlices() {
    time.settle();
    slices = 0;

    Future<ItemPage> page = engine.handle().list(NONE, null, 10);
    time.settle();

    assertThat(page.result().items()).isEmpty();
    assertThat(page.result().next()).isNull();
    assertThat(slices).isGreaterThan(ITEMS / 2_200);
  }

  @Test
  void pagesThatAreAskedForTogether_beginInSlicesOfTheirOwn() {
    time.settle();
    slices = 0;

    for (int i = 0; i < 5; i++) {
      engine.handle().list(ItemFilter.ALL, null, 100);
    }
    time.settle();

    assertThat(slices).as("two each: to find items, and to show them").isEqualTo(2 * 5);
  }

  @Test
  void looksAtLabelsThatTakeLong_areFewInASlice() {
    time.settle();
    slices = 0;
    lookNanos = 300_000;

    engine.handle().list(LABELLED, null, 10);
    time.settle();

    assertThat(slices).isGreaterThan(ITEMS / 5);
  }

  @Test
  void labels_areLookedAt_inManySmallSlices() {
    time.settle();
    slices = 0;

    Future<ItemPage> page = engine.handle().list(LABELLED, null, 10);
    time.settle();

    assertThat(page.result().items()).isEmpty();
    assertThat(slices).isGreaterThan(ITEMS / 300);
  }

  @Test
  void pageThatIsFull_endsThere() {
    time.settle();
    slices = 0;

    Future<ItemPage> first = engine.handle().list(ItemFilter.ALL, null, 100);
    time.settle();

    assertThat(first.result().items()).hasSize(100);
    assertThat(slices).isLessThanOrEqualTo(2);
  }

  /** The clock is read once for each of them, at least. */
  @Test
  void longPage_isShownInManySlices() {
    time.settle();
    slices = 0;
    clockNanos = 20_000;

    Future<ItemPage> page = engine.handle().list(ItemFilter.ALL, null, ControllerHandle.MAX_PAGE);
    time.settle();

    assertThat(page.result().items()).hasSize(ControllerHandle.MAX_PAGE);
    assertThat(page.result().items().stream().map(QueuedItem::id)).doesNotHaveDuplicates();
    assertThat(slices).isGreaterThanOrEqualTo(10);
  }

  @Test
  void flush_dropsItemsInManySlices() {
    time.settle();
    slices = 0;

    Future<BulkResult> result = engine.handle().begin(flushOf("ns-1")).result();
    time.settle();

    assertThat(result.result().counts().done()).isEqualTo(ITEMS / 3);
    assertThat(slices).isGreaterThan(ITEMS / 3 / 550);
  }

  private static BulkRequest flushOf(String namespace) {
    return BulkRequests.of(
        BulkRequest.Action.FLUSH,
        ItemFilter.ALL.withFailing(false).withNamespace(namespace),
        BulkRequest.MAX_AFFECTED);
  }
}
