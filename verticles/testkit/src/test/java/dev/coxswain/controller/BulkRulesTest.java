// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Actions on many items of a queue that changes, with user code that misbehaves. */
class BulkRulesTest {
  private final VirtualTime time = new VirtualTime();
  private Predicate<Request> holds = request -> true;
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("c")
              .watches(
                  new SilentSource() {
                    @Override
                    public boolean holds(Request request) {
                      return holds.test(request);
                    }
                  })
              .reconciles((request, context) -> {
                if (request.name().startsWith("bad")) {
                  throw new IllegalStateException();
                }
                return Result.done();
              }),
          time);

  private void delayed(int count) {
    for (int i = 0; i < count; i++) {
      kit.sink().addAfter(Request.of("ns", "d" + i), Duration.ofHours(1), 0, Trigger.EVENT);
    }
    time.settle();
  }

  private static BulkRequest request(Action action, boolean dryRun, Then then, Duration spread) {
    return new BulkRequest(
        action,
        ItemFilter.ALL,
        dryRun,
        BulkRequest.MAX_AFFECTED,
        false,
        false,
        then,
        Duration.ofMinutes(30),
        spread);
  }

  @Test
  void sourceThatThrowsInALaterSlice_theCallerIsTold() {
    delayed(1_200);
    int[] calls = new int[1];
    holds =
        request -> {
          if (++calls[0] > 1_500) { // twice for each item: in the second slice
            throw new IllegalStateException("knows");
          }
          return true;
        };
    Future<BulkResult> result =
        kit.handle().bulk(request(Action.FLUSH, false, Then.RELIST, Duration.ZERO));
    for (int i = 0; i < 5; i++) {
      try {
        time.settle();
      } catch (IllegalStateException e) {
        // an event loop goes on with its next task
      }
    }
    assertThat(result.isComplete()).isTrue();
    assertThat(kit.handle().snapshot().ready()).as("what was made ready also runs").isZero();
  }

  @Test
  void flushThatKeepsFailures_keepsTheirLastError() {
    kit.sink().add(Request.of("ns", "bad"));
    time.settle();
    QueuedItem before = kit.await(kit.handle().item(new ItemId("ns", "bad"))).orElseThrow();
    Instant failedAt = before.lastErrorAt();
    time.advance(Duration.ofMillis(1));
    kit.handle()
        .bulk(
            new BulkRequest(
                Action.FLUSH,
                ItemFilter.ALL,
                false,
                BulkRequest.MAX_AFFECTED,
                true,
                false,
                Then.REQUEUE_AFTER,
                Duration.ofMinutes(30),
                Duration.ZERO));
    time.settle();
    QueuedItem after = kit.await(kit.handle().item(new ItemId("ns", "bad"))).orElseThrow();
    assertThat(after.failures()).isEqualTo(before.failures()).isPositive();
    assertThat(after.lastError()).isEqualTo(before.lastError()).isNotNull();
    assertThat(after.lastErrorAt()).isEqualTo(failedAt).isNotNull();
  }

  @Test
  void preview_neverAsksForMoreThanASliceInOneTurn() {
    delayed(60_000);
    long[] turn = new long[1];
    boolean[] over = new boolean[1];
    time.execute(
        new Runnable() {
          @Override
          public void run() {
            turn[0]++;
            if (!over[0]) {
              time.execute(this);
            }
          }
        });
    long[] last = {-1};
    int[] inTurn = new int[1];
    int[] worst = new int[1];
    holds =
        request -> {
          if (turn[0] != last[0]) {
            last[0] = turn[0];
            inTurn[0] = 0;
          }
          worst[0] = Math.max(worst[0], ++inTurn[0]);
          return true;
        };
    Future<BulkResult> result =
        kit.handle().bulk(request(Action.FLUSH, true, Then.RELIST, Duration.ZERO));
    result.onComplete(done -> over[0] = true);
    time.settle();
    assertThat(result.result().relisted()).isEqualTo(60_000);
    assertThat(worst[0]).as("calls of user code in one turn of the loop").isLessThan(5_000);
  }

  @Test
  void drainInTheMiddleOfAFlush_losesNothingSilently() {
    delayed(3_000);
    boolean[] begun = new boolean[1];
    int[] calls = new int[1];
    Future<?>[] drained = new Future<?>[1];
    holds =
        request -> {
          if (++calls[0] > 1_200 && !begun[0]) {
            begun[0] = true;
            drained[0] = kit.handle().drain(Duration.ofSeconds(1));
          }
          return true;
        };
    Future<BulkResult> result =
        kit.handle().bulk(request(Action.FLUSH, false, Then.RELIST, Duration.ZERO));
    time.settle();
    int ran = kit.telemetry().started();
    int left = kit.counters().total();
    assertThat(ran + left)
        .as(
            "flushed to be added again: run or still there (bulk said %s)",
            result.succeeded() ? result.result().relisted() : result.cause())
        .isEqualTo(3_000);
  }

  @Test
  void bulkRetrySpread_neverPostponesAnItem() {
    kit.sink().addAfter(Request.of("ns", "soon"), Duration.ofSeconds(1), 0, Trigger.EVENT);
    kit.sink().addAfter(Request.of("ns", "soon2"), Duration.ofSeconds(1), 0, Trigger.EVENT);
    time.settle();
    kit.await(kit.handle().bulk(request(Action.RETRY, false, Then.NONE, Duration.ofHours(10))));
    time.advance(Duration.ofSeconds(2));
    assertThat(kit.telemetry().started()).as("\"retry\" makes due, it does not delay").isEqualTo(2);
  }

  @Test
  void byPhase_tellsThePhasesThatMatched() {
    delayed(10);
    BulkRequest retry =
        BulkRequests.of(Action.RETRY, ItemFilter.ALL.withPhases(Set.of(Phase.DELAYED)), 100);
    assertThat(kit.await(kit.handle().bulk(retry)).byPhase()).containsOnlyKeys(Phase.DELAYED);
  }
}
