// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A bulk action has a rate, reports its progress, and can be stopped. */
class BulkRunTest {
  private final VirtualTime time = new VirtualTime();
  private final List<Request> ran = new ArrayList<>();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("c")
              .reconciles((request, context) -> {
                ran.add(request);
                return Result.done();
              }),
          time);

  private void delayed(int count) {
    for (int i = 0; i < count; i++) {
      kit.sink().addAfter(Request.of("ns", "d" + i), Duration.ofHours(1), 0, Trigger.EVENT);
    }
    time.settle();
  }

  private BulkRun begin(Action action, Then then, int itemsPerSecond) {
    BulkRun run =
        kit.handle()
            .begin(
                new BulkRequest(
                    action,
                    ItemFilter.ALL,
                    false,
                    BulkRequest.MAX_AFFECTED,
                    false,
                    false,
                    then,
                    Duration.ofMinutes(30),
                    Duration.ZERO,
                    itemsPerSecond));
    time.settle();
    return run;
  }

  @Test
  void aPace_isKept_andNeverExceeded() {
    delayed(1_000);
    BulkRun run = begin(Action.FLUSH, Then.NONE, 200);
    for (int tick = 1; tick <= 40; tick++) {
      time.advance(Duration.ofMillis(100));
      int done = run.progress().done();
      assertThat(done).as("after %d ms", tick * 100).isLessThanOrEqualTo(1 + 20 * tick);
      assertThat(done).as("after %d ms", tick * 100).isGreaterThanOrEqualTo(20 * tick - 4);
      assertThat(kit.counters().total()).isEqualTo(1_000 - done);
    }
    time.advance(Duration.ofSeconds(1));
    assertThat(run.result().result().ending()).isEqualTo(Ending.COMPLETE);
    assertThat(run.result().result().changed()).isEqualTo(1_000);
  }

  /** A flush lasts an hour, and its items keep getting events meanwhile. */
  @Test
  void whatIsAddedAgainAfterTheOrder_isNeitherFlushedNorRequeued() {
    for (Action action : new Action[] {Action.FLUSH, Action.REQUEUE}) {
      ran.clear();
      kit.await(kit.handle().pause("test", null));
      for (int i = 0; i < 100; i++) {
        kit.sink().add(Request.of("ns", "d" + i));
      }
      time.settle();
      BulkRun run = begin(action, Then.NONE, 10);
      time.advance(Duration.ofSeconds(2));
      for (int i = 0; i < 100; i++) {
        kit.sink().add(Request.of("ns", "d" + i)); // after the order
      }
      time.advance(Duration.ofSeconds(20));
      BulkResult result = run.result().result();
      int before = result.changed();
      assertThat(before).as("%s", action).isBetween(15, 25);
      assertThat(result.skipped())
          .as("%s", action)
          .containsEntry("added again meanwhile", 100 - before);
      kit.await(kit.handle().resume());
      time.settle();
      assertThat(ran).as("%s: every event is reconciled, at once", action).hasSize(100);
      time.advance(Duration.ofHours(2));
    }
  }

  @Test
  void aPaceSlowerThanOnePerTurn_isKeptToo() {
    delayed(5);
    BulkRun run = begin(Action.FLUSH, Then.NONE, 1);
    assertThat(run.progress().changed()).isEqualTo(1);
    time.advance(Duration.ofMillis(999));
    assertThat(run.progress().changed()).isEqualTo(1);
    time.advance(Duration.ofMillis(1));
    assertThat(run.progress().changed()).isEqualTo(2);
    time.advance(Duration.ofSeconds(3));
    assertThat(run.result().result().changed()).isEqualTo(5);
  }

  @Test
  void aStoppedAction_leavesTheRestAlone_andItsCountsAddUp() {
    delayed(1_000);
    BulkRun run = begin(Action.FLUSH, Then.NONE, 100);
    time.advance(Duration.ofSeconds(3));
    run.stop();
    time.settle();
    BulkResult result = run.result().result();
    assertThat(result.ending()).isEqualTo(Ending.STOPPED);
    assertThat(result.matched()).isEqualTo(1_000);
    assertThat(result.changed()).isBetween(290, 301).isEqualTo(result.counts().done());
    assertThat(kit.counters().total()).isEqualTo(1_000 - result.changed());
    time.advance(Duration.ofMinutes(1));
    assertThat(kit.counters().total()).as("after the end").isEqualTo(1_000 - result.changed());
  }

  @Test
  void aStopBeforeTheFirstSlice_changesNothing() {
    delayed(10);
    BulkRun run = kit.handle().begin(BulkRequests.of(Action.FLUSH, ItemFilter.ALL, 10));
    run.stop();
    time.settle();
    assertThat(run.result().result().ending()).isEqualTo(Ending.STOPPED);
    assertThat(kit.counters().total()).isEqualTo(10);
  }

  @Test
  void aStopAfterTheEnd_changesNothing() {
    delayed(10);
    BulkRun run = begin(Action.FLUSH, Then.NONE, 0);
    run.stop();
    time.settle();
    assertThat(run.result().result().ending()).isEqualTo(Ending.COMPLETE);
    assertThat(run.progress().done()).isEqualTo(10);
  }

  @Test
  void aControllerThatStops_endsTheAction_withWhatWasDone() {
    delayed(1_000);
    BulkRun run = begin(Action.FLUSH, Then.NONE, 100);
    time.advance(Duration.ofSeconds(2));
    kit.stop(Duration.ofSeconds(1));
    BulkResult result = run.result().result();
    assertThat(result.ending()).isEqualTo(Ending.CONTROLLER_STOPS);
    assertThat(result.changed()).isBetween(190, 201);
    assertThat(kit.handle().snapshot().total()).isEqualTo(1_000 - result.changed());
    assertThatThrownBy(() -> begin(Action.FLUSH, Then.NONE, 0).result().await())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("stopping");
  }

  @Test
  void whatArrivesDuringAnAction_isNotTouchedByIt() {
    delayed(200);
    BulkRun run = begin(Action.FLUSH, Then.NONE, 100);
    time.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 50; i++) {
      kit.sink().addAfter(Request.of("ns", "late" + i), Duration.ofHours(2), 0, Trigger.EVENT);
    }
    time.advance(Duration.ofSeconds(10));
    assertThat(run.result().result().changed()).isEqualTo(200);
    assertThat(kit.counters().total()).isEqualTo(50);
  }

  @Test
  void aKeyFlushedAndAddedAgain_isProcessedOnce() {
    delayed(200);
    kit.handle().pause("hold", null);
    BulkRun run = begin(Action.FLUSH, Then.REQUEUE_AFTER, 100);
    time.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 200; i++) { // half of them flushed already, half not yet
      kit.sink().add(Request.of("ns", "d" + i));
    }
    time.advance(Duration.ofSeconds(10));
    assertThat(run.result().isComplete()).isTrue();
    kit.handle().resume();
    time.advance(Duration.ofHours(3));
    assertThat(ran).hasSize(200).doesNotHaveDuplicates();
  }
}
