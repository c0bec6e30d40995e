// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.ShardedSink;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A sharded controller accepts the requests of its slots and starts those of open ones. */
class ShardedControllerTest extends ShardedControllerFixture {

  @Test
  void closedSlot_dropsItsRequests() {
    kit.add(A0);
    assertThat(started).isEmpty();
    assertThat(kit.counters().total()).isZero();
  }

  @Test
  void closedSlot_refusesARequestOfAnOperator() {
    ItemId id = new ItemId("0", "a");
    assertThat(kit.await(kit.handle().add(id, Duration.ZERO)))
        .isInstanceOf(ActionResult.Refused.class);
    open(0, 1);
    assertThat(kit.await(kit.handle().add(id, Duration.ZERO)))
        .isInstanceOf(ActionResult.Applied.class);
  }

  @Test
  void openedSlot_startsWhatItsSourcesHold_andLaterRequests_andNoOthers() {
    open(0, 1);
    assertThat(started).containsExactlyInAnyOrder(A0, B0);
    assertThat(contexts).extracting(ReconcileContext::trigger).containsOnly(Trigger.ACQUIRED);
    started.clear();
    kit.add(A0);
    kit.add(A1);
    assertThat(started).containsExactly(A0);
  }

  @Test
  void sources_receiveThatTheirControllerIsSharded_andItsName() {
    ShardedSink<Request> sink = ShardedSink.of(Objects.requireNonNull(store.sink));
    assertThat(sink.isSharded()).isTrue();
    assertThat(sink.controller()).isEqualTo("sharded");
  }

  /** Every object was reconciled twice when its controller started. */
  @Test
  void slotThatIsOpenWhenItsSourcesBegin_deliversNothingAgain() {
    Store other = new Store();
    List<Request> runs = new ArrayList<>();
    other.atStart = List.of();
    ControllerTestKit<Request> late =
        ControllerTestKit.withSlots(
            Controller.named("late")
                .watches(other)
                .options(options -> options.withOwnership(Ownership.SHARDED))
                .reconcilesAsync((request, context) -> {
                  runs.add(request);
                  return answer;
                }),
            time,
            cluster);
    late.await(late.slots().open(List.of(new Term(0, 1))));
    late.add(A0);
    late.add(B0);
    assertThat(runs).containsExactly(A0, B0);
    assertThat(other.positions).isEmpty();
  }

  @Test
  void newTermOfAnOpenSlot_deliversNothingAgain() {
    open(0, 1);
    started.clear();
    open(0, 1);
    assertThat(started).isEmpty();
  }

  @Test
  void heldSlot_keepsRequests_andStartsThemWhenItOpens() {
    Request deleted = Request.of("0", "deleted");
    kit.await(kit.slots().hold(List.of(0)));
    kit.add(deleted);
    assertThat(started).isEmpty();
    open(0, 1);
    assertThat(started).containsExactlyInAnyOrder(deleted, A0, B0);
  }

  @Test
  void closing_startsNothing_andEndsWithTheLastAttempt_andReopens_withTheFailuresAsTheyWere() {
    open(0, 1);
    answer = Future.failedFuture("no");
    kit.add(A0);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(B0);
    Future<Void> closed = kit.slots().close(0);
    time.advance(Duration.ofSeconds(2));
    started.clear();
    assertThat(closed.isComplete()).isFalse();
    assertThat(started).as("the retry of the first is due").isEmpty();
    time.advance(Duration.ofSeconds(2));
    assertThat(closed.succeeded()).isTrue();

    int tokens = kit.telemetry().tokens();
    answer = Future.succeededFuture(Result.done());
    open(0, 1);
    assertThat(started).contains(A0);
    assertThat(contexts.get(started.indexOf(A0) + contexts.size() - started.size()).failures())
        .isEqualTo(1);
    assertThat(kit.telemetry().tokens()).as("it is still a retry").isGreaterThan(tokens);
  }

  @Test
  void dropped_slotLosesItsItems_andARunningOneAtItsEnd_andOthersStay() {
    Term term = open(0, 1);
    open(1, 1);
    answer = time.after(Duration.ofSeconds(3)).map(Result.requeueAfter(Duration.ofSeconds(1)));
    kit.add(A0);
    answer = Future.succeededFuture(Result.requeueAfter(Duration.ofHours(1)));
    kit.add(B0);
    kit.add(A1);
    term.ended = true;
    kit.await(kit.slots().drop(List.of(0)));
    assertThat(phase(A0)).contains(Phase.IN_FLIGHT);
    assertThat(phase(B0)).isEmpty();
    assertThat(phase(A1)).contains(Phase.DELAYED);
    time.advance(Duration.ofSeconds(10));
    assertThat(phase(A0)).isEmpty();
  }

  /** The counts stayed those of before until something else happened. */
  @Test
  void countsAfterADrop_areThoseOfWhatIsLeft() {
    open(0, 1);
    open(1, 1);
    cluster.mayStart = false;
    for (int i = 0; i < 5_000; i++) {
      kit.sink().add(Request.of("" + i % 2, "x" + i));
    }
    time.settle();
    assertThat(kit.counters().total()).isEqualTo(5_000);
    kit.await(kit.slots().drop(List.of(0)));
    assertThat(kit.counters().total()).isEqualTo(2_500);
  }

  /** The change would be lost: what is handed over is the state of before. */
  @Test
  void bulkAction_leavesItemsAlone_whileTheirSlotIsHandedOver() {
    answer = Future.succeededFuture(Result.requeueAfter(Duration.ofHours(1)));
    open(0, 1);
    open(1, 1);
    kit.await(kit.slots().close(0));
    BulkRequest retryAll =
        BulkRequests.of(BulkRequest.Action.RETRY, ItemFilter.ALL, BulkRequest.MAX_AFFECTED);
    BulkRun run = kit.handle().begin(retryAll);
    time.settle();
    assertThat(run.result().result().changed()).as("the one of the open slot").isEqualTo(1);
    assertThat(run.progress().moved()).isEqualTo(2);
  }

  @Test
  void requestIsNotStartedInANewTerm_whileAnAttemptOfAnOldOneRuns() {
    open(0, 1);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(A0);
    kit.await(kit.slots().drop(List.of(0)));
    started.clear();
    answer = Future.succeededFuture(Result.done());
    open(0, 2);
    assertThat(started).containsExactly(B0);
    time.advance(Duration.ofSeconds(3));
    assertThat(started).containsExactly(B0, A0);
  }

  @Test
  void attempt_belongsToTheTermInWhichItStarted_forGood() {
    Term first = open(0, 7);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(A0);
    ReconcileContext old = contexts.getLast();
    old.ensureOwned();
    first.ended = true;
    open(0, 8);
    kit.add(A0);
    assertThat(old.epoch()).isEqualTo(7);
    assertThatThrownBy(old::ensureOwned).isInstanceOf(LostOwnershipException.class);
    time.advance(Duration.ofSeconds(4));
    assertThat(contexts.getLast().epoch()).isEqualTo(8);
  }

  /** A task that was bound to it could write when the slot had been handed over. */
  @Test
  void attemptThatHasEnded_hasNoTimeLeft_whileItsTermGoesOn() {
    open(0, 1);
    ReconcileContext ended = contexts.getLast();
    assertThat(ended.timeLeft()).isZero();
    assertThatThrownBy(ended::ensureOwned).isInstanceOf(LostOwnershipException.class);
  }

  /** It was retried once a second for ever, without a failure and without a token. */
  @Test
  void refusedWrite_whileTheTermGoesOn_isAFailure() {
    open(0, 1);
    answer = Future.failedFuture(new LostOwnershipException("the write belongs to no attempt"));
    kit.add(A0);
    assertThat(failures(A0)).isEqualTo(1);
  }

  @Test
  void slotThatClosesDuringItsRedelivery_keepsWhatArrivesLater() {
    open(0, 1);
    started.clear();
    kit.await(kit.slots().close(0));
    kit.sink().add(A0, EventSink.PRIORITY_LOW, Trigger.ACQUIRED);
    time.settle();
    open(0, 1);
    assertThat(started).containsExactly(A0);
  }

  @Test
  void nothingIsStarted_whileThisReplicaMayNotAct_andEverythingAfterwards() {
    open(0, 1);
    started.clear();
    cluster.mayStart = false;
    kit.add(A0);
    time.advance(Duration.ofMinutes(1));
    assertThat(started).isEmpty();
    assertThat(phase(A0)).contains(Phase.READY);
    cluster.mayStart = true;
    kit.slots().refresh();
    time.settle();
    assertThat(started).containsExactly(A0);
  }

  @Test
  void cancel_reachesTheAttemptsOfTheSlot_andNoOthers() {
    open(0, 1);
    open(1, 1);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(A0);
    kit.add(A1);
    kit.await(kit.slots().cancel(List.of(0)));
    assertThat(contexts.get(contexts.size() - 2).isCancelled()).isTrue();
    assertThat(contexts.getLast().isCancelled()).isFalse();
  }

  @Test
  void manyItemsOfAHeldSlot_doNotKeepThoseOfAnOpenOneFromStarting() {
    open(0, 1);
    open(1, 1);
    cluster.mayStart = false;
    for (int i = 0; i < 5_000; i++) {
      kit.sink().add(Request.of("0", "x" + i));
    }
    kit.sink().add(Request.of("1", "last"));
    time.settle();
    started.clear();
    Future<Void> closed = kit.slots().close(0);
    cluster.mayStart = true;
    kit.slots().refresh();
    time.settle();
    assertThat(closed.succeeded()).isTrue();
    assertThat(started).containsExactly(Request.of("1", "last"));
    open(0, 1);
    assertThat(started).hasSize(5_001);
  }

  @Test
  void reconcilersThread_hasTheAttempt_andSoHasABoundTask() {
    List<Optional<ReconcileContext>> found = new ArrayList<>();
    List<ReconcileContext> own = new ArrayList<>();
    ControllerTestKit<Request> blocking =
        ControllerTestKit.withSlots(
            Controller.named("blocking")
                .options(options -> options.withOwnership(Ownership.SHARDED))
                .reconciles((request, context) -> {
                  own.add(context);
                  found.add(CurrentAttempt.get());
                  return Result.done();
                }),
            time,
            cluster);
    blocking.await(blocking.slots().open(List.of(new Term(0, 1))));
    blocking.add(A0);
    assertThat(found).containsExactly(Optional.of(own.getFirst()));
    assertThat(CurrentAttempt.get()).isEmpty();
    own.getFirst().bind(() -> found.add(CurrentAttempt.get())).run();
    assertThat(found.getLast()).contains(own.getFirst());
  }

  /** In a slot that moves it was lost when the move was given up, or the state had left already. */
  @Test
  void anOfferedRequest_isAcceptedInAnOpenSlotOnly() {
    open(0, 1);
    assertThat(kit.await(kit.sink().offer(A0))).isTrue();
    assertThat(kit.await(kit.sink().offer(A1))).as("closed").isFalse();
    kit.await(kit.slots().hold(List.of(1)));
    assertThat(kit.await(kit.sink().offer(A1))).as("about to be received").isFalse();
    kit.await(kit.slots().close(0));
    assertThat(kit.await(kit.sink().offer(A0))).as("about to be handed over").isFalse();
  }

  @Test
  void anItemThatMovesDuringABulkAction_isLeftAlone_andCountedAsMoved() {
    answer = Future.succeededFuture(Result.requeueAfter(Duration.ofHours(1)));
    open(0, 1);
    open(1, 1);
    assertThat(phase(A1)).contains(Phase.DELAYED);
    BulkRun run =
        kit.handle()
            .begin(
                BulkRequests.of(
                    BulkRequest.Action.RETRY, ItemFilter.ALL, BulkRequest.MAX_AFFECTED, 1));
    time.settle();
    assertThat(run.progress().done()).isEqualTo(1);
    kit.await(kit.slots().close(0));
    kit.await(kit.slots().drop(List.of(0)));
    time.advance(Duration.ofSeconds(5));
    BulkProgress counts = kit.await(run.result()).counts();
    assertThat(counts.matched()).isEqualTo(3);
    assertThat(counts.done()).isEqualTo(3);
    assertThat(counts.moved()).isPositive();
    assertThat(counts.changed() + counts.moved()).isEqualTo(3);
  }
}
