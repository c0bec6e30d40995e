// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What was left in the queue by the end of an attempt whose slot had been dropped won over the state
 * that the next owner handed over: a retry due in 20 ms waited for ten minutes, another one started
 * without a token.
 */
class DroppedSlotTest extends ShardedControllerFixture {

  /** How the attempt of the dropped slot ends. */
  enum End {
    DONE,
    REQUEUE,
    REQUEUE_AFTER,
    FAILED,
    RETRY_LATER,
    TERMINAL;

    Future<Result> result() {
      return switch (this) {
        case DONE -> Future.succeededFuture(Result.done());
        case REQUEUE -> Future.succeededFuture(Result.requeue());
        case REQUEUE_AFTER -> Future.succeededFuture(Result.requeueAfter(Duration.ofMinutes(10)));
        case FAILED -> Future.failedFuture("no");
        case RETRY_LATER ->
            Future.failedFuture(new RetryAfterException(Duration.ofMinutes(10), "later"));
        case TERMINAL -> Future.failedFuture(new TerminalException("never"));
      };
    }
  }

  private static MovedSlot moved(MovedItem... items) {
    return new MovedSlot(List.of(items), List.of("7"));
  }

  private static MovedItem item(String name, int failures, boolean retry, Duration due) {
    return new MovedItem("0", name, failures, retry, due, 0, failures > 0 ? "no" : "");
  }

  private Promise<Result> startOld() {
    Term old = open(0, 1);
    Promise<Result> running = Promise.promise();
    answer = running.future();
    kit.add(A0);
    assertThat(phase(A0)).contains(Phase.IN_FLIGHT);
    old.ended = true;
    kit.await(kit.slots().drop(List.of(0)));
    answer = Future.succeededFuture(Result.done());
    return running;
  }

  private void end(Promise<Result> running, End end) {
    end.result().onComplete(running);
    time.settle();
  }

  private void openMoved(MovedSlot moved) {
    kit.await(kit.slots().openMoved(new Term(0, 3), moved));
    time.settle();
  }

  @ParameterizedTest
  @EnumSource
  void attemptThatEndsAfterItsSlotWasDropped_leavesNothing(End end) {
    Promise<Result> running = startOld();
    kit.add(A0);
    end(running, end);
    assertThat(phase(A0)).isEmpty();
    assertThat(kit.counters().total()).isZero();
    assertThat(kit.counters().failing()).isZero();
    assertThat(kit.counters().dirty()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void handedOverRetry_keepsItsTimeFailuresAndToken_afterAnOldAttemptHadEnded(End end) {
    Promise<Result> running = startOld();
    end(running, end);
    started.clear();
    openMoved(moved(item("a", 3, true, Duration.ofMillis(20))));
    assertRetriedOnce();
  }

  @ParameterizedTest
  @EnumSource
  void handedOverRetry_keepsItsTimeFailuresAndToken_whenAnOldAttemptEndsLater(End end) {
    Promise<Result> running = startOld();
    started.clear();
    openMoved(moved(item("a", 3, true, Duration.ofMillis(20))));
    assertThat(started).as("never twice at once").doesNotContain(A0);
    end(running, end);
    assertRetriedOnce();
  }

  private void assertRetriedOnce() {
    assertThat(failures(A0)).isEqualTo(3);
    int tokens = kit.telemetry().tokens();
    time.advance(Duration.ofMillis(19));
    assertThat(started).doesNotContain(A0);
    time.advance(Duration.ofMillis(2));
    assertThat(started).containsOnlyOnce(A0);
    assertThat(contexts.getLast().failures()).isEqualTo(3);
    assertThat(kit.telemetry().tokens()).isEqualTo(tokens + 1);
    time.advance(Duration.ofHours(1));
    assertThat(started).containsOnlyOnce(A0);
  }

  @Test
  void handedOverRequest_thatIsDue_startsWhenTheOldAttemptEnds() {
    Promise<Result> running = startOld();
    started.clear();
    openMoved(moved(item("a", 0, false, Duration.ZERO)));
    end(running, End.RETRY_LATER);
    assertThat(started).contains(A0);
    assertThat(contexts.getLast().failures()).isZero();
  }

  @Test
  void eventAfterTheSlotCameBack_isNotLost_andStartsWithTheFailuresOfTheFormerOwner() {
    Promise<Result> running = startOld();
    openMoved(moved(item("a", 3, true, Duration.ofMinutes(5))));
    started.clear();
    kit.add(A0);
    end(running, End.TERMINAL);
    assertThat(started).containsExactly(A0);
    assertThat(contexts.getLast().failures()).isEqualTo(3);
  }

  @Test
  void slotDroppedTwice_whileOneAttemptRuns_leavesNothingOfBothTerms() {
    Promise<Result> running = startOld();
    openMoved(moved(item("a", 3, true, Duration.ofMillis(20))));
    kit.await(kit.slots().drop(List.of(0)));
    end(running, End.FAILED);
    time.advance(Duration.ofHours(1));
    assertThat(phase(A0)).isEmpty();
    assertThat(kit.counters().failing()).isZero();
  }

  /** A request that was scheduled while the slot was on its way delayed what was handed over. */
  @Test
  void handedOverTime_winsOverALaterOneThatWasAddedWhileTheSlotWasHeld() {
    kit.await(kit.slots().hold(List.of(0)));
    kit.sink().addAfter(A0, Duration.ofMinutes(10), EventSink.PRIORITY_NORMAL, Trigger.EVENT);
    kit.sink().addAfter(B0, Duration.ofMinutes(10), EventSink.PRIORITY_NORMAL, Trigger.EVENT);
    time.settle();
    int tokens = kit.telemetry().tokens();
    openMoved(
        moved(
            item("a", 3, true, Duration.ofMillis(20)), item("b", 0, false, Duration.ofSeconds(1))));
    time.advance(Duration.ofMillis(21));
    assertThat(started).containsExactly(A0);
    assertThat(contexts.getLast().failures()).isEqualTo(3);
    assertThat(kit.telemetry().tokens()).isEqualTo(tokens + 1);
    time.advance(Duration.ofSeconds(1));
    assertThat(started).containsExactly(A0, B0);
  }

  @Test
  void earlierTimeThatWasAddedWhileTheSlotWasHeld_winsOverAHandedOverOne() {
    kit.await(kit.slots().hold(List.of(0)));
    kit.sink().addAfter(A0, Duration.ofSeconds(1), EventSink.PRIORITY_NORMAL, Trigger.EVENT);
    time.settle();
    openMoved(moved(item("a", 3, true, Duration.ofMinutes(10))));
    time.advance(Duration.ofSeconds(1));
    assertThat(started).contains(A0);
    assertThat(contexts.get(started.indexOf(A0)).failures()).isEqualTo(3);
  }

  /** What is set aside is not in the queue, so a later request did not merge with it. */
  @Test
  void requestSetAside_doesNotWaitForALaterOne_whenItsSlotIsOpenedAgain() {
    open(0, 1);
    kit.await(kit.slots().close(0));
    kit.add(A0);
    kit.sink().addAfter(A0, Duration.ofMinutes(10), EventSink.PRIORITY_NORMAL, Trigger.EVENT);
    time.settle();
    started.clear();
    open(0, 1);
    assertThat(started).contains(A0);
  }

  /** Items of the old term that the drop had not visited yet met those of the new one. */
  @Test
  void slotThatComesBack_whileItsOldItemsAreStillDropped_hasNoneOfThem() {
    open(0, 1);
    open(1, 1);
    cluster.mayStart = false;
    for (int i = 0; i < 20_000; i++) {
      kit.sink()
          .addAfter(Request.of("" + i % 2, "x" + i), Duration.ofMinutes(10), 0, Trigger.EVENT);
    }
    time.settle();
    Future<Void> dropped = kit.slots().drop(List.of(0));
    Future<Void> opened =
        kit.slots()
            .openMoved(new Term(0, 3), moved(item("x19998", 3, true, Duration.ofMillis(20))));
    time.settle();
    assertThat(dropped.succeeded()).isTrue();
    assertThat(opened.succeeded()).isTrue();
    assertThat(failures(Request.of("0", "x19998"))).isEqualTo(3);
    assertThat(phase(Request.of("0", "x2"))).isEmpty();
    assertThat(phase(Request.of("1", "x1"))).contains(Phase.DELAYED);
  }

  @Test
  void slotThatIsDroppedAgain_whileItsOpeningWaitsForADrop_staysClosed() {
    open(0, 1);
    cluster.mayStart = false;
    for (int i = 0; i < 20_000; i++) {
      kit.sink().add(Request.of("0", "x" + i));
    }
    time.settle();
    started.clear();
    cluster.mayStart = true;
    Future<Void> dropped = kit.slots().drop(List.of(0));
    Future<Void> opened = kit.slots().open(List.of(new Term(0, 3)));
    Future<Void> again = kit.slots().drop(List.of(0));
    time.settle();
    assertThat(dropped.succeeded() && opened.succeeded() && again.succeeded()).isTrue();
    kit.add(A0);
    assertThat(started).isEmpty();
    assertThat(kit.counters().total()).isZero();
  }
}
