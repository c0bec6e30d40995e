// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ActionResult;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.ControllerTelemetry.Outcome;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Concurrency, time limits, pauses and the end, with attempts that the test ends when it likes. */
class WorkersTest {
  private final VirtualTime time = new VirtualTime();
  private final Map<Request, Promise<Result>> running = new HashMap<>();
  private final List<Request> starts = new ArrayList<>();
  private final List<Request> cancels = new ArrayList<>();

  private Future<Result> reconcile(Request request, ReconcileContext context) {
    Promise<Result> promise = Promise.promise();
    assertThat(running.put(request, promise)).as("the same key twice at once").isNull();
    starts.add(request);
    context.onCancel(() -> cancels.add(request));
    return promise.future();
  }

  private ControllerTestKit<Request> kit(UnaryOperator<ControllerOptions> options) {
    return ControllerTestKit.of(
        Controller.named("slow").options(options).reconcilesAsync(this::reconcile), time);
  }

  private static Request key(int i) {
    return Request.of("ns", "k" + i);
  }

  private void end(int i) {
    java.util.Objects.requireNonNull(running.remove(key(i))).complete(Result.done());
    time.settle();
  }

  @Test
  void concurrency_isTheMostThatRunAtOnce_andCanBeChangedWhileRunning() {
    ControllerTestKit<Request> kit = kit(options -> options.withConcurrency(2));
    for (int i = 0; i < 10; i++) {
      kit.add(key(i));
    }
    assertThat(running).hasSize(2);
    kit.await(kit.handle().setConcurrency(5));
    assertThat(running).hasSize(5);
    kit.await(kit.handle().setConcurrency(1));
    for (int i = 0; i < 4; i++) {
      end(i);
    }
    assertThat(running).as("shrinks as attempts end").hasSize(1);
    end(4);
    assertThat(running).hasSize(1);
    assertThat(kit.handle().status().concurrency()).isEqualTo(1);
    assertThat(kit.handle().setConcurrency(0).failed()).isTrue();
  }

  @Test
  void timeout_freesTheWorker_cancels_andNeverRunsTheKeyTwice() {
    ControllerTestKit<Request> kit =
        kit(options -> options.withReconcileTimeout(Duration.ofSeconds(10)));
    kit.add(key(0));
    kit.add(key(1));
    time.advance(Duration.ofSeconds(9));
    assertThat(starts).containsExactly(key(0));

    time.advance(Duration.ofSeconds(1));

    assertThat(cancels).containsExactly(key(0));
    assertThat(starts).as("the worker is free").containsExactly(key(0), key(1));
    assertThat(kit.telemetry().timeouts()).isEqualTo(1);
    assertThat(kit.counters().overdue()).isEqualTo(1);
    kit.add(key(0));
    end(1);
    time.advance(Duration.ofMinutes(5));
    assertThat(starts).as("the old attempt has not ended").containsExactly(key(0), key(1));
    assertThat(explain(kit, 0)).isEqualTo("overdue");

    end(0);

    assertThat(starts).as("it was added again meanwhile").containsExactly(key(0), key(1), key(0));
  }

  @Test
  void timeout_isAFailureWithBackoffFromTheTimeoutOn_whateverTheAttemptReturnsLater() {
    ControllerTestKit<Request> kit =
        kit(options -> options.withReconcileTimeout(Duration.ofSeconds(10)));
    kit.add(key(0));
    time.advance(Duration.ofSeconds(12));
    end(0);
    assertThat(kit.telemetry().outcomes(Outcome.ERROR)).isEqualTo(1);
    assertThat(kit.telemetry().outcomes(Outcome.SUCCESS)).isZero();
    assertThat(starts).as("5 ms after the timeout have passed long ago").hasSize(2);
    var item = kit.await(kit.handle().item(new ItemId("ns", "k0"))).orElseThrow();
    assertThat(item.failures()).isEqualTo(1);
    assertThat(item.lastError()).contains("longer than 10000 ms");
  }

  @Test
  void attemptsThatNeverEnd_doNotPileUpWithoutABound() {
    ControllerTestKit<Request> kit =
        kit(options -> options.withReconcileTimeout(Duration.ofSeconds(1)).withConcurrency(2));
    for (int i = 0; i < 100; i++) {
      kit.add(key(i));
    }
    time.advance(Duration.ofMinutes(10));
    assertThat(running).as("2 workers, 4 overdue for each").hasSize(10);
    end(0);
    time.advance(Duration.ofSeconds(1));
    assertThat(starts).hasSizeGreaterThan(10);
  }

  @Test
  void whenAttemptsThatNeverEndTakeAllWorkers_itIsSaid_untilOneEnds() {
    ControllerTestKit<Request> kit =
        kit(options -> options.withReconcileTimeout(Duration.ofSeconds(1)).withConcurrency(2));
    for (int i = 0; i < 9; i++) {
      kit.add(key(i));
    }
    time.advance(Duration.ofMinutes(1));
    kit.add(key(9));
    assertThat(kit.handle().status().conditions()).as("one worker is still free").isEmpty();
    kit.add(key(11));
    assertThat(explain(kit, 11)).isEqualTo("workersBusy");
    time.advance(Duration.ofSeconds(2));

    assertThat(kit.handle().status().conditions())
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.type()).isEqualTo(ConditionType.WORKERS_EXHAUSTED);
          assertThat(condition.message())
              .contains("10 attempts", "time limit of 1s", "until one of them ends");
        });
    assertThat(kit.handle().status().overdueLimit()).isEqualTo(kit.counters().overdue());
    var explanation = kit.await(kit.handle().explain(new ItemId("ns", "k11")));
    assertThat(explanation.reason().label()).isEqualTo("workersExhausted");
    assertThat(explanation.message()).contains("No worker is left: 10 attempts");
    assertThat(explanation.conditions()).hasSize(1);
    assertThat(explain(kit, 0)).isEqualTo("overdue");

    end(0);
    time.settle();
    assertThat(kit.handle().status().conditions()).isEmpty();
    assertThat(starts).contains(key(11));
  }

  @Test
  void cooldown_aWorkerRestsAfterAnError_theOthersGoOn() {
    List<Long> begun = new ArrayList<>();
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            Controller.named("cool")
                .options(options ->
                    options
                        .withConcurrency(2)
                        .withFailureCooldown(Duration.ofSeconds(1))
                        .withBackoff(
                            dev.coxswain.retry.Backoff.fastSlow(
                                Duration.ofSeconds(9), Duration.ofSeconds(9), 1)))
                .reconciles((request, context) -> {
                  begun.add(time.elapsed().toMillis());
                  if (request.name().equals("bad")) {
                    throw new IllegalStateException();
                  }
                  return Result.requeueAfter(Duration.ofMillis(100));
                }),
            time);
    kit.add(Request.of("ns", "bad"));
    kit.add(Request.of("ns", "good"));
    time.advance(Duration.ofMillis(950));
    assertThat(begun).as("one failed, the other ran at 0, 100, ... 900 ms").hasSize(11);
    kit.add(Request.of("ns", "third"));
    assertThat(begun).as("the other worker is free").hasSize(12);
  }

  @Test
  void pause_nothingStarts_runningGoOn_untilItExpires() {
    ControllerTestKit<Request> kit = kit(options -> options.withConcurrency(2));
    kit.add(key(0));
    kit.await(kit.handle().pause("INC-1", Duration.ofMinutes(1)));
    kit.add(key(1));
    end(0);
    assertThat(starts).containsExactly(key(0));
    var pause = java.util.Objects.requireNonNull(kit.handle().status().pause());
    assertThat(pause.reason()).isEqualTo("INC-1");
    assertThat(pause.until()).isEqualTo(time.instant().plus(Duration.ofMinutes(1)));
    assertThat(explain(kit, 1)).isEqualTo("paused");

    time.advance(Duration.ofMinutes(1));

    assertThat(starts).containsExactly(key(0), key(1));
    assertThat(kit.handle().status().pause()).isNull();
  }

  /** Replicas apply a stored pause at different times, and one that starts later hours after it. */
  @Test
  void pauseThatBeganElsewhere_isShownAsItIs_alsoWhenItIsAppliedAgain_andEndsAtItsEnd() {
    ControllerTestKit<Request> kit = kit(options -> options);
    Instant now = time.instant();
    ControllerStatus.Pause pause =
        new ControllerStatus.Pause("INC-1", "anna", now.minusSeconds(7200), now.plusSeconds(60));
    kit.await(kit.handle().pause(pause));
    time.advance(Duration.ofSeconds(20));
    kit.await(kit.handle().pause(pause));
    assertThat(kit.handle().status().pause()).isEqualTo(pause);
    kit.add(key(0));
    time.advance(Duration.ofSeconds(39));
    assertThat(starts).isEmpty();
    time.advance(Duration.ofSeconds(1));
    assertThat(starts).containsExactly(key(0));
    assertThat(kit.handle().status().pause()).isNull();
  }

  @Test
  void resume_endsAPauseWithoutAnEnd() {
    ControllerTestKit<Request> kit = kit(options -> options);
    kit.await(kit.handle().pause("maintenance", null));
    kit.add(key(0));
    time.advance(Duration.ofDays(3));
    assertThat(starts).isEmpty();
    kit.await(kit.handle().resume());
    assertThat(starts).containsExactly(key(0));
  }

  @Test
  void drain_intakeStops_runningMayFinish_theRestIsReported() {
    ControllerTestKit<Request> kit = kit(options -> options.withConcurrency(2));
    for (int i = 0; i < 5; i++) {
      kit.add(key(i));
    }
    kit.sink().addAfter(key(7), Duration.ofHours(1), 0, dev.coxswain.reconcile.Trigger.EVENT);
    Future<DrainReport> drained = kit.handle().drain(Duration.ofSeconds(30));
    time.advance(Duration.ofSeconds(3));
    kit.add(key(9));
    end(0);
    assertThat(drained.isComplete()).isFalse();
    end(1);
    DrainReport report = kit.await(drained);
    assertThat(starts).containsExactly(key(0), key(1));
    assertThat(report.finished()).isEqualTo(2);
    assertThat(report.cancelled()).isZero();
    assertThat(report.took()).isEqualTo(Duration.ofSeconds(3));
    assertThat(report.remaining())
        .containsEntry(Phase.READY, 3)
        .containsEntry(Phase.DELAYED, 1)
        .containsEntry(Phase.IN_FLIGHT, 0);
    assertThat(cancels).isEmpty();
    assertThat(kit.telemetry().rejections()).isEqualTo(1);
    assertThat(kit.handle().status().state()).isEqualTo(ControllerStatus.State.STOPPED);
  }

  @Test
  void drain_pastItsLimit_cancels_waitsAMoment_andNamesWhatWasAbandoned() {
    ControllerTestKit<Request> kit = kit(options -> options.withConcurrency(2));
    kit.add(key(0));
    kit.add(key(1));
    Future<DrainReport> drained = kit.handle().drain(Duration.ofSeconds(30));
    time.advance(Duration.ofMillis(29_999));
    assertThat(cancels).isEmpty();
    time.advance(Duration.ofMillis(1));
    assertThat(cancels).containsExactly(key(0), key(1));
    end(1);
    time.advance(Duration.ofSeconds(1));
    DrainReport report = kit.await(drained);
    assertThat(report.cancelled()).isEqualTo(1);
    assertThat(report.abandoned()).containsExactly("ns/k0");
    assertThat(report.abandonedCount()).isEqualTo(1);
    assertThat(report.took()).isEqualTo(Duration.ofSeconds(31));
  }

  @Test
  void drain_withNothingRunning_isOverAtOnce_andTwiceIsTheSame() {
    ControllerTestKit<Request> kit = kit(options -> options);
    Future<DrainReport> first = kit.handle().drain(Duration.ofSeconds(30));
    Future<DrainReport> second = kit.handle().drain(Duration.ofSeconds(1));
    assertThat(kit.await(first).took()).isEqualTo(Duration.ZERO);
    assertThat(kit.await(second)).isEqualTo(kit.await(first));
    var refused = kit.await(kit.handle().add(new ItemId("ns", "k1"), Duration.ZERO));
    assertThat(refused).isInstanceOf(ActionResult.Refused.class);
  }

  @Test
  void cancelActionThatThrows_isContainedAndCounted() {
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            Controller.named("bad-cancel")
                .options(options -> options.withReconcileTimeout(Duration.ofSeconds(1)))
                .reconcilesAsync((request, context) -> {
                  context.onCancel(() -> {
                    throw new IllegalStateException("in the cancel action");
                  });
                  return Promise.<Result>promise().future();
                }),
            time);
    kit.add(key(0));
    time.advance(Duration.ofSeconds(2));
    assertThat(kit.telemetry().userCodeFailures()).isEqualTo(1);
    assertThat(kit.telemetry().timeouts()).isEqualTo(1);
  }

  private String explain(ControllerTestKit<Request> kit, int i) {
    return kit.await(kit.handle().explain(new ItemId("ns", "k" + i))).reason().label();
  }
}
