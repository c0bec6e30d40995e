// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.source.Origin;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.PastAttempt.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An explanation has the last attempts of its object, also when it is not in the queue any more. */
class PastAttemptsTest {
  private static final Request KEY = Request.of("shop", "cart");
  private static final Origin SPEC =
      new Origin("Cart", "shop", "cart", Set.of(Origin.Change.SPEC), "", "");
  private static final Origin LABELS =
      new Origin("Node", "", "n1", Set.of(Origin.Change.LABELS), "carts", "");

  private final VirtualTime time = new VirtualTime();
  private String answer = "";
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("carts")
              .options(options ->
                  options.withBackoff(
                      Backoff.exponential(Duration.ofSeconds(1), Duration.ofHours(1), 0)))
              .reconciles((request, context) -> {
                context.written();
                context.written();
                return switch (answer) {
                  case "error" -> throw new IllegalStateException("quota of shop");
                  case "terminal" -> throw new TerminalException("wrong name");
                  case "later" -> Result.requeueAfter(Duration.ofHours(1));
                  case "again" -> Result.requeue();
                  default -> Result.done();
                };
              }),
          time);

  private void attempt(String wanted, Origin origin) {
    answer = wanted;
    kit.sink().add(KEY, 0, Trigger.EVENT, origin);
    time.settle();
  }

  private Explanation explain() {
    return kit.await(kit.handle().explain(new ItemId("shop", "cart")));
  }

  private List<PastAttempt> past() {
    return explain().attempts();
  }

  @Test
  void anAttempt_hasItsTime_itsChange_itsWrites_andItsError() {
    time.advance(Duration.ofMillis(5));
    attempt("error", SPEC);
    PastAttempt last = past().getFirst();
    assertThat(last.outcome()).isEqualTo(Outcome.ERROR);
    assertThat(last.endedAt()).isEqualTo(time.instant());
    assertThat(last.origin()).isEqualTo(SPEC);
    assertThat(last.trigger()).isEqualTo(Trigger.EVENT);
    assertThat(last.writes()).isEqualTo(2);
    assertThat(last.error()).contains("quota of shop");
    assertThat(last.cause()).isEqualTo(Objects.requireNonNull(explain().item()).cause());
    assertThat(last.attempt()).isPositive();
    assertThat(last.replica()).isNull();
  }

  @Test
  void theStory_goesOn_afterSuccess_andWithoutAnItem() {
    attempt("error", SPEC);
    time.advance(Duration.ofSeconds(2)); // the retry
    attempt("ok", LABELS);
    assertThat(explain().reason().label()).isEqualTo("succeeded");
    assertThat(past())
        .extracting(PastAttempt::outcome)
        .containsExactly(Outcome.SUCCESS, Outcome.ERROR, Outcome.ERROR);
    assertThat(past())
        .extracting(PastAttempt::trigger)
        .containsExactly(Trigger.EVENT, Trigger.RETRY, Trigger.EVENT);
    assertThat(past()).extracting(PastAttempt::origin).containsExactly(LABELS, null, SPEC);
  }

  @Test
  void eachOutcome_isTheOneOfItsAttempt() {
    attempt("error", SPEC);
    attempt("terminal", SPEC);
    attempt("later", SPEC);
    attempt("again", SPEC);
    attempt("ok", SPEC);
    assertThat(past())
        .extracting(PastAttempt::outcome)
        .containsExactly(
            Outcome.SUCCESS,
            Outcome.REQUEUE,
            Outcome.REQUEUE_AFTER,
            Outcome.TERMINAL,
            Outcome.ERROR);
  }

  @Test
  void removalByAnOperator_isAStepOfTheStory() {
    attempt("error", SPEC);
    kit.await(kit.handle().drop(new ItemId("shop", "cart"), null, "anna", "INC-3"));
    PastAttempt last = past().getFirst();
    assertThat(last.outcome()).isEqualTo(Outcome.DROPPED);
    assertThat(last.by()).isEqualTo("anna");
    assertThat(last.reason()).isEqualTo("INC-3");
    assertThat(last.error()).isNull();
    assertThat(past()).hasSize(2);
  }

  @Test
  void failuresThatWereReset_leaveTheirAttempts_andAreNoWrongName() {
    attempt("terminal", SPEC);
    assertThat(explain().reason().label()).isEqualTo("terminal");
    assertThat(past()).hasSize(1);
    kit.await(kit.handle().forget(new ItemId("shop", "cart"), null, false));
    assertThat(explain().message()).contains("its last attempt failed at 2026-");
    assertThat(past()).extracting(PastAttempt::outcome).containsExactly(Outcome.TERMINAL);
  }

  @Test
  void ofSeveralChanges_theFirstOneLedToTheAttempt_andTheNextOneToTheNext() {
    kit.await(kit.handle().pause("INC-1", null));
    attempt("ok", LABELS);
    attempt("ok", SPEC);
    kit.await(kit.handle().resume());
    time.settle();
    assertThat(past().getFirst().origin()).isEqualTo(LABELS);
    attempt("ok", SPEC);
    assertThat(past().getFirst().origin()).isEqualTo(SPEC);
  }

  @Test
  void waiting_isCountedWhereItWas() {
    kit.await(kit.handle().pause("INC-1", null));
    attempt("ok", SPEC);
    time.advance(Duration.ofSeconds(7));
    kit.await(kit.handle().resume());
    time.settle();
    assertThat(past().getFirst().ready()).isEqualTo(Duration.ofSeconds(7));
    assertThat(past().getFirst().token()).isZero();
  }
}
