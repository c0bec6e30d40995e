// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.MovedAttempts;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ControllerStatus.Pause;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.PastAttempt.Outcome;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The state of requests moves with their slot. */
class MovedSlotTest extends ShardedControllerFixture {

  @Test
  void movedSlot_keepsFailuresTimesAndTokensOfItsRetries_onTheNewOwner() {
    open(0, 1);
    answer = Future.failedFuture("the vendor is down");
    kit.add(A0);
    time.advance(Duration.ofMillis(100));
    int failures = failures(A0);
    assertThat(failures).isGreaterThan(2);
    answer = Future.succeededFuture(Result.requeueAfter(Duration.ofHours(1)));
    kit.add(B0);
    kit.await(kit.slots().close(0));
    MovedSlot moved = kit.await(kit.slots().export(0, 100));
    kit.await(kit.slots().drop(List.of(0)));
    assertThat(moved.positions()).containsExactly("7");
    assertThat(moved.items())
        .extracting(MovedItem::name, MovedItem::failures, MovedItem::retry)
        .containsExactlyInAnyOrder(Tuple.tuple("a", failures, true), Tuple.tuple("b", 0, false));

    started.clear();
    int tokens = kit.telemetry().tokens();
    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    time.settle();
    assertThat(started).as("neither is due").isEmpty();
    assertThat(failures(A0)).isEqualTo(failures);
    assertThat(phase(B0)).contains(Phase.DELAYED);
    answer = Future.succeededFuture(Result.done());
    time.advance(Duration.ofSeconds(10));
    assertThat(started).containsExactly(A0);
    assertThat(contexts.getLast().failures()).isEqualTo(failures);
    assertThat(kit.telemetry().tokens()).as("it is still a retry").isGreaterThan(tokens);
    time.advance(Duration.ofHours(1));
    assertThat(started).containsExactly(A0, B0);
  }

  @Test
  void movedRetry_isCountedAtItsCause_onTheNewOwnerOnly() {
    open(0, 1);
    answer = Future.failedFuture("no quota for 17");
    kit.add(A0);
    kit.await(kit.slots().close(0));
    MovedSlot moved = kit.await(kit.slots().export(0, 100));
    kit.await(kit.slots().drop(List.of(0)));
    CauseSnapshot before = kit.await(kit.handle().causes()).getFirst();
    assertThat(before.items()).isZero();
    assertThat(before.failures()).isPositive();
    answer = Future.succeededFuture(Result.done());

    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    CauseSnapshot after = kit.await(kit.handle().causes()).getFirst();
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.items()).isEqualTo(1);
    assertThat(after.pattern().message()).isEqualTo("no quota for #");
  }

  /** Otherwise it would be due in 146 years there. */
  @Test
  void retryOfAPausedCause_movesWithItsOwnTime_andIsHeldByTheNewOwner() {
    open(0, 1);
    answer = Future.failedFuture("no quota");
    kit.add(A0);
    FailurePattern cause = kit.await(kit.handle().causes()).getFirst().pattern();
    Pause pause = new Pause("INC-1", "me", time.instant(), null);
    kit.await(kit.handle().pauseCauses(Map.of(cause, pause)));
    time.advance(Duration.ofHours(1));
    kit.await(kit.slots().close(0));
    MovedSlot moved = kit.await(kit.slots().export(0, 100));
    assertThat(moved.items()).extracting(MovedItem::due).containsExactly(Duration.ZERO);
    kit.await(kit.slots().drop(List.of(0)));
    started.clear();

    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    time.advance(Duration.ofHours(1));
    assertThat(started).doesNotContain(A0);
    kit.await(kit.handle().pauseCauses(Map.of()));
    time.settle();
    assertThat(started).contains(A0);
  }

  private List<PastAttempt> past(String name) {
    return kit.await(kit.handle().explain(new ItemId("0", name))).attempts();
  }

  @Test
  void pastAttemptsOfWhatHasFailed_moveWithTheSlot_andLeaveTheFormerOwner() {
    open(0, 1);
    answer = Future.failedFuture("no");
    kit.add(A0);
    answer = Future.succeededFuture(Result.done());
    time.advance(Duration.ofSeconds(10));
    kit.add(B0);
    List<PastAttempt> before = past("a");
    assertThat(before).hasSizeGreaterThan(1);
    assertThat(before.getFirst().outcome()).as("not queued").isEqualTo(Outcome.SUCCESS);
    assertThat(past("b")).hasSize(1);
    kit.await(kit.slots().close(0));
    MovedSlot moved = kit.await(kit.slots().export(0, 100));
    assertThat(moved.history()).containsExactly(new MovedAttempts("0", "a", before));

    kit.await(kit.slots().drop(List.of(0)));
    assertThat(past("a")).as("another replica is the owner").isEmpty();
    assertThat(past("b")).isEmpty();

    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    assertThat(past("a")).containsSubsequence(before);
  }

  /** So many that a walk over them takes several turns of the event loop. */
  @Test
  void pastAttemptsOfManyRequests_areGoneWithTheirSlot_andOnlyThese() {
    open(0, 1);
    open(1, 1);
    for (int i = 0; i < 3_000; i++) {
      kit.add(Request.of("0", "x" + i));
      kit.add(Request.of("1", "x" + i));
    }
    long before = kept("1");
    assertThat(kept("0")).isGreaterThan(2_000);
    kit.await(kit.slots().drop(List.of(0)));
    assertThat(kept("0")).isZero();
    assertThat(kept("1")).isEqualTo(before);
  }

  private long kept(String namespace) {
    return IntStream.range(0, 3_000)
        .filter(i ->
            !kit.await(kit.handle().explain(new ItemId(namespace, "x" + i))).attempts().isEmpty())
        .count();
  }

  /** There was no room for it, and nothing has brought it since. */
  @Test
  void movedAttemptThatWasToBeRepeated_withoutItsRequest_isNoSuccess() {
    open(0, 1);
    kit.add(A0);
    PastAttempt done = past("a").getFirst();
    for (Outcome outcome : List.of(Outcome.REQUEUE, Outcome.LOST_OWNERSHIP, Outcome.ERROR)) {
      PastAttempt last =
          new PastAttempt(
              7,
              time.instant().plusSeconds(1),
              done.took(),
              done.ready(),
              done.token(),
              outcome,
              Trigger.RETRY,
              null,
              0,
              null,
              null,
              "",
              null,
              null,
              "other");
      kit.await(kit.slots().drop(List.of(0)));
      kit.await(
          kit.slots()
              .openMoved(
                  new Term(0, 2),
                  new MovedSlot(
                      List.of(),
                      List.of("7"),
                      Map.of(),
                      List.of(new MovedAttempts("0", "c", List.of(last))))));
      Explanation why = kit.await(kit.handle().explain(new ItemId("0", "c")));
      assertThat(why.reason().label()).as(outcome.label()).isNotEqualTo("succeeded");
      assertThat(why.message()).contains("its last attempt ", "no retry is scheduled");
    }
  }

  @Test
  void movedRequest_whoseObjectHasChangedSince_isStartedAtOnce_withItsFailures() {
    MovedSlot moved =
        new MovedSlot(
            List.of(
                new MovedItem("0", "a", 3, true, Duration.ofMinutes(1), 0, "no"),
                new MovedItem("0", "b", 2, true, Duration.ofMinutes(1), 0, "no")),
            List.of("7"));
    store.changed = A0;
    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    time.settle();
    assertThat(started).containsExactly(A0);
    assertThat(contexts.getLast().failures()).isEqualTo(3);
    assertThat(store.positions).containsExactly("7");
  }

  @Test
  void movedSlot_withoutAPosition_startsEverything_soThatNoChangeIsMissed() {
    MovedSlot moved =
        new MovedSlot(
            List.of(new MovedItem("0", "a", 3, true, Duration.ofMinutes(1), 0, "no")), List.of(""));
    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    time.settle();
    assertThat(started).containsExactlyInAnyOrder(A0, B0);
  }

  /** A busy former owner has no position; the sources of a new replica list everything as well. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void movedRetry_takesAToken_alsoWhenItsObjectIsDelivered_beforeOrAfterItsState(boolean before) {
    if (before) {
      kit.await(kit.slots().hold(List.of(0)));
      Objects.requireNonNull(store.sink).add(A0, EventSink.PRIORITY_LOW, Trigger.INITIAL_LIST);
      time.settle();
    }
    MovedSlot moved =
        new MovedSlot(
            List.of(new MovedItem("0", "a", 3, true, Duration.ofMinutes(1), 0, "no")),
            List.of(before ? "7" : ""));
    int tokens = kit.telemetry().tokens();
    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    time.settle();

    assertThat(started).as("no change is missed").contains(A0);
    assertThat(kit.telemetry().tokens()).as("it is still a retry").isEqualTo(tokens + 1);
    assertThat(contexts.get(started.indexOf(A0)).failures()).isEqualTo(3);
  }

  @Test
  void movedRetry_whoseObjectChanges_needsNoTokenAnyMore() {
    MovedSlot moved =
        new MovedSlot(
            List.of(new MovedItem("0", "a", 3, true, Duration.ofMinutes(1), 0, "no")),
            List.of("7"));
    int tokens = kit.telemetry().tokens();
    kit.await(kit.slots().openMoved(new Term(0, 2), moved));
    Objects.requireNonNull(store.sink).add(A0, 0, Trigger.EVENT);
    time.settle();

    assertThat(started).contains(A0);
    assertThat(kit.telemetry().tokens()).isEqualTo(tokens);
  }

  @Test
  void exportedSlot_hasWhatWasSetAside_upToItsLimit_andNothingOfOtherSlots() {
    kit.await(kit.slots().hold(List.of(0, 1)));
    kit.add(A0);
    kit.add(B0);
    kit.add(A1);
    assertThat(kit.await(kit.slots().export(0, 100)).items())
        .extracting(MovedItem::name)
        .containsExactlyInAnyOrder("a", "b");
    assertThat(kit.await(kit.slots().export(0, 1)).items()).hasSize(1);
  }
}
