// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.ControllerTelemetry.Outcome;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What each outcome does to its item, row by row, for both shapes of reconcilers. */
class ResultRulesTest {
  private static final Request KEY = Request.of("ns", "a");

  private final VirtualTime time = new VirtualTime();
  private final Deque<Reconciler<Request>> script = new ArrayDeque<>();
  private final List<Integer> failuresSeen = new ArrayList<>();

  private ControllerTestKit<Request> kit =
      ControllerTestKit.of(Controller.named("script").reconciles(this::next), time);

  private Result next(Request request, ReconcileContext context) throws Exception {
    failuresSeen.add(context.failures());
    Reconciler<Request> step = script.pollFirst();
    return step == null ? Result.done() : step.reconcile(request, context);
  }

  private void then(Reconciler<Request> step) {
    script.addLast(step);
  }

  private QueuedItem item() {
    return kit.await(kit.handle().item(new ItemId("ns", "a"))).orElseThrow();
  }

  @Test
  void success_leavesTheQueue_failuresZero() {
    kit.add(KEY);
    assertThat(kit.telemetry().outcomes(Outcome.SUCCESS)).isEqualTo(1);
    assertThat(kit.counters().total()).isZero();
  }

  @Test
  void requeueAfter_comesBackThen_noLimiter_failuresZero() {
    then(failing());
    then((request, context) -> Result.requeueAfter(Duration.ofSeconds(30)));
    kit.add(KEY);
    time.advance(Duration.ofMillis(5));
    assertThat(item().failures()).isZero();
    assertThat(item().phase()).isEqualTo(Phase.DELAYED);
    int tokens = kit.telemetry().tokens();
    time.advance(Duration.ofSeconds(30));
    assertThat(kit.telemetry().started()).isEqualTo(3);
    assertThat(kit.telemetry().tokens()).isEqualTo(tokens);
    assertThat(kit.telemetry().outcomes(Outcome.REQUEUE_AFTER)).isEqualTo(1);
  }

  @Test
  void lostOwnership_isNoFailure_andTheRequestStays_asItWas() {
    then(failing());
    then((request, context) -> {
      throw new IllegalStateException("a write failed", new LostOwnershipException("not sent"));
    });
    kit.add(KEY);
    time.advance(Duration.ofMillis(5));
    assertThat(kit.telemetry().lostOwnerships()).isEqualTo(1);
    assertThat(kit.telemetry().outcomes(Outcome.ERROR)).as("only the first").isEqualTo(1);
    assertThat(item().failures()).isEqualTo(1);
    assertThat(item().phase()).isEqualTo(Phase.DELAYED);
    int tokens = kit.telemetry().tokens();
    time.advance(Duration.ofSeconds(1));
    assertThat(kit.telemetry().outcomes(Outcome.SUCCESS)).isEqualTo(1);
    assertThat(kit.telemetry().tokens()).as("it was a retry, and still is").isEqualTo(tokens + 1);
  }

  @Test
  void requeueAfterWithoutAPositiveDelay_isDone_andCounted() {
    for (Duration delay : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(-1))) {
      int before = kit.telemetry().ignoredRequeueAfter();
      then((request, context) -> Result.requeueAfter(delay));
      kit.add(KEY);
      assertThat(kit.telemetry().ignoredRequeueAfter()).as("%s", delay).isEqualTo(before + 1);
      assertThat(kit.counters().total()).as("%s", delay).isZero();
    }
    assertThat(kit.telemetry().outcomes(Outcome.SUCCESS)).isEqualTo(3);
    assertThat(kit.telemetry().outcomes(Outcome.REQUEUE_AFTER)).isZero();
  }

  @Test
  void requeueAfterForLongerThanAnyClock_isKept() {
    then((request, context) -> Result.requeueAfter(Duration.ofSeconds(Long.MAX_VALUE)));
    kit.add(KEY);
    time.advance(Duration.ofDays(300));
    assertThat(kit.telemetry().started()).isEqualTo(1);
    assertThat(item().phase()).isEqualTo(Phase.DELAYED);
  }

  @Test
  void requeue_isARateLimitedRetry_withoutAnError() {
    then((request, context) -> Result.requeue());
    kit.add(KEY);
    assertThat(item().failures()).isEqualTo(1);
    assertThat(item().lastError()).isNull();
    time.advance(Duration.ofMillis(5));
    assertThat(kit.telemetry().tokens()).isEqualTo(1);
    assertThat(kit.telemetry().outcomes(Outcome.REQUEUE)).isEqualTo(1);
    assertThat(kit.telemetry().outcomes(Outcome.ERROR)).isZero();
  }

  @Test
  void exception_isARateLimitedRetry_withItsErrorShown() {
    then(failing());
    kit.add(KEY);
    assertThat(item().failures()).isEqualTo(1);
    assertThat(item().lastError()).isEqualTo("IllegalStateException: boom");
    assertThat(item().lastErrorAt()).isNotNull();
    assertThat(kit.telemetry().outcomes(Outcome.ERROR)).isEqualTo(1);
    time.advance(Duration.ofMillis(5));
    assertThat(failuresSeen).containsExactly(0, 1);
    assertThat(kit.telemetry().tokens()).isEqualTo(1);
  }

  @Test
  void error_isContained_countedAsAPanic() {
    then((request, context) -> {
      throw new StackOverflowError();
    });
    kit.add(KEY);
    assertThat(kit.telemetry().panics()).isEqualTo(1);
    assertThat(item().failures()).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("NullAway") // the point of the test
  void nullResult_isAFailure() {
    then((request, context) -> null);
    kit.add(KEY);
    assertThat(item().failures()).isEqualTo(1);
    assertThat(item().lastError()).contains("returned null");
    time.advance(Duration.ofSeconds(1));
    assertThat(kit.telemetry().started()).as("and is retried").isEqualTo(2);
  }

  @Test
  void retryAfter_noEarlierThanThat_throughTheBucket_failuresPlusOne() {
    then((request, context) -> {
      throw new RuntimeException(new RetryAfterException(Duration.ofSeconds(7), "429"));
    });
    kit.add(KEY);
    time.advance(Duration.ofMillis(6_999));
    assertThat(kit.telemetry().started()).isEqualTo(1);
    assertThat(item().failures()).isEqualTo(1);
    time.advance(Duration.ofMillis(1));
    assertThat(kit.telemetry().started()).isEqualTo(2);
    assertThat(kit.telemetry().tokens()).isEqualTo(1);
  }

  @Test
  void terminal_noRetryUntilTheNextEvent_failuresZero() {
    then(failing());
    then((request, context) -> {
      throw new TerminalException("bad spec");
    });
    kit.add(KEY);
    time.advance(Duration.ofHours(5));
    assertThat(kit.telemetry().started()).isEqualTo(2);
    assertThat(kit.telemetry().terminals()).isEqualTo(1);
    assertThat(kit.telemetry().outcomes(Outcome.ERROR)).isEqualTo(2);
    assertThat(kit.counters().total()).isZero();
    kit.add(KEY);
    assertThat(failuresSeen).containsExactly(0, 1, 0);
  }

  @Test
  @SuppressWarnings("NullAway") // the point of the test
  void asyncReconciler_everyBadEndIsAFailure() {
    Deque<java.util.function.Supplier<Future<Result>>> steps = new ArrayDeque<>();
    steps.add(() -> Future.failedFuture("down"));
    steps.add(() -> null);
    steps.add(() -> Future.succeededFuture(null));
    steps.add(() -> {
      throw new IllegalStateException("before the future");
    });
    steps.add(() -> time.after(Duration.ofSeconds(2)).map(Result.done()));
    kit =
        ControllerTestKit.of(
            Controller.named("async")
                .reconcilesAsync((request, context) -> steps.removeFirst().get()),
            time);
    kit.add(KEY);
    time.advance(Duration.ofMillis(5 + 10 + 20 + 40));
    assertThat(kit.telemetry().outcomes(Outcome.ERROR)).isEqualTo(4);
    assertThat(item().phase()).isEqualTo(Phase.IN_FLIGHT);
    time.advance(Duration.ofSeconds(2));
    assertThat(kit.telemetry().outcomes(Outcome.SUCCESS)).isEqualTo(1);
    assertThat(kit.counters().total()).isZero();
  }

  private static Reconciler<Request> failing() {
    return (request, context) -> {
      throw new IllegalStateException("boom");
    };
  }

  @Test
  void hugeDurations_areCut_whereverTheyAreGiven() {
    Duration huge = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    ItemId id = new ItemId("ns", "a");
    kit.sink().addAfter(KEY, huge, 0, Trigger.EVENT);
    assertThat(kit.await(kit.handle().requeue(id, null, huge)))
        .isInstanceOf(ActionResult.Applied.class);
    assertThat(kit.await(kit.handle().add(id, huge))).isInstanceOf(ActionResult.Skipped.class);
    kit.await(kit.handle().pause("for ever", huge));
    assertThat(kit.handle().status().pause()).isNotNull();
    kit.await(kit.handle().resume());
    assertThat(item().phase()).isEqualTo(Phase.DELAYED);
    var drained = kit.handle().drain(huge);
    assertThat(kit.await(drained).finished()).isZero();
  }

  @Test
  void additionOfWhatIsDueAlready_orEarlier_isSkipped() {
    kit.await(kit.handle().pause("so that nothing starts", null));
    assertThat(added(Duration.ofMinutes(10))).isNull();
    assertThat(added(Duration.ofMinutes(20))).isEqualTo("it is due earlier already");
    assertThat(added(Duration.ofMinutes(5))).isNull();
    assertThat(added(Duration.ZERO)).isNull();
    assertThat(added(Duration.ZERO)).isEqualTo("it is due already");
    assertThat(added(Duration.ofMinutes(1))).isEqualTo("it is due already");
  }

  /** Returns why an addition was skipped, or null when it was not. */
  private @Nullable String added(Duration delay) {
    ActionResult result = kit.await(kit.handle().add(new ItemId("ns", "a"), delay));
    return result instanceof ActionResult.Skipped skipped ? skipped.reason() : null;
  }
}
