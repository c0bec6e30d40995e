// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.Composition;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.RetryWindows;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Ten thousand objects that all fail at the same moment. */
class FailureStormTest {
  private static final int OBJECTS = 10_000;

  private final VirtualTime time = new VirtualTime();
  private final RetryWindows retries = new RetryWindows();
  private final Map<Request, List<Long>> startsOf = new HashMap<>();

  @Test
  void backoffAlone_firstSecond_70000To80000Retries() {
    ControllerTestKit<Request> kit =
        storm(options -> options.withComposition(Composition.BACKOFF_ONLY));

    time.advance(Duration.ofSeconds(1));

    assertThat(kit.telemetry().started() - OBJECTS).isBetween(70_000, 80_000);
    assertThat(kit.counters().total()).isEqualTo(OBJECTS);
  }

  @Test
  void budgetOf10PerSecondBurst100_everyWindow_atMost100Plus10T() {
    long begin = time.nanos();
    ControllerTestKit<Request> kit = storm(options -> options);

    time.advance(Duration.ofMinutes(5));

    assertThat(retries.worstExcess(10, 100)).isLessThanOrEqualTo(0);
    for (int i = 0; i < retries.count(); i++) {
      double seconds = (retries.at(i) - begin) / 1e9;
      assertThat((double) i + 1).isLessThanOrEqualTo(100 + 10 * seconds);
    }
    // The cap is also used: nothing is left lying while retries wait.
    assertThat(retries.count()).isBetween(3_090, 3_100);
    assertThat(kit.telemetry().tokens()).isEqualTo(retries.count());
    assertThat(kit.counters().total()).isEqualTo(OBJECTS);
    assertThat(kit.counters().in(Phase.WAITING_TOKEN)).isGreaterThan(6_000);
  }

  @Test
  void fairFlows_unrelatedFailingKey_waitsForItsTurnOnly() {
    ControllerTestKit<Request> kit = storm(options -> options.withFairFlows(true));
    time.advance(Duration.ofSeconds(30));
    Request unrelated = Request.of("other", "new");

    kit.add(unrelated);
    time.advance(Duration.ofSeconds(2));

    List<Long> own = startsOf.getOrDefault(unrelated, List.of());
    assertThat(own.size()).as("first attempt at once, retries within the bound").isGreaterThan(2);
    for (int i = 1; i < own.size(); i++) {
      double backoff = 5e6 * (1 << (i - 1));
      // Two flows wait, so each gets every second token: at most 2 x 100 ms after the backoff.
      assertThat(own.get(i) - own.get(i - 1) - backoff).isBetween(0.0, 200e6);
    }
  }

  @Test
  void withoutFairFlows_unrelatedFailingKey_waitsBehindAllOthers() {
    ControllerTestKit<Request> kit = storm(options -> options);
    time.advance(Duration.ofSeconds(30));
    Request unrelated = Request.of("other", "new");

    kit.add(unrelated);
    time.advance(Duration.ofSeconds(2));

    assertThat(startsOf.getOrDefault(unrelated, List.of())).hasSize(1);
  }

  @Test
  void newObjectsAndRequeueAfter_duringAStorm_areNeverLimited() {
    ControllerTestKit<Request> kit = storm(options -> options);
    time.advance(Duration.ofSeconds(30));
    int before = retries.count();

    for (int i = 0; i < 1_000; i++) {
      kit.sink().add(Request.of("healthy", "h" + i));
    }
    time.settle();
    for (int i = 0; i < 1_000; i++) {
      assertThat(startsOf.getOrDefault(Request.of("healthy", "h" + i), List.of())).hasSize(1);
    }
    time.advance(Duration.ofSeconds(10));

    // Each came back after its 3 s, three times, on the dot.
    for (int i = 0; i < 1_000; i++) {
      assertThat(startsOf.getOrDefault(Request.of("healthy", "h" + i), List.of())).hasSize(4);
    }
    assertThat(retries.count() - before).isBetween(99, 101);
  }

  @Test
  void requeueAndErrors_areBothLimited() {
    VirtualTime clock = new VirtualTime();
    int[] started = new int[1];
    Controller<Request> controller =
        Controller.named("requeues")
            .reconciles((request, context) -> {
              started[0]++;
              if (request.name().endsWith("1")) {
                throw new IllegalStateException("error");
              }
              return Result.requeue();
            });
    ControllerTestKit<Request> kit = ControllerTestKit.of(controller, clock);
    for (int i = 0; i < 1_000; i++) {
      kit.sink().add(Request.of("ns", "r" + (i % 2) + "-" + i + (i % 2)));
    }
    clock.advance(Duration.ofSeconds(10));

    assertThat(started[0] - 1_000).isBetween(198, 200);
    assertThat(kit.handle().snapshot().failing()).isEqualTo(1_000);
  }

  @Test
  void explainInAStorm_givesPositionAndExpectedStartThatComesTrue() {
    ControllerTestKit<Request> kit = storm(options -> options);
    time.advance(Duration.ofSeconds(30));
    Request last = Request.of("tenant", "o9999");

    var explanation = kit.await(kit.handle().explain(new ItemId("tenant", "o9999")));
    assertThat(explanation.reason().label()).isEqualTo("waitingToken");
    assertThat(explanation.position()).isBetween(1, OBJECTS);
    var expected = java.util.Objects.requireNonNull(explanation.expectedStart());
    int before = startsOf.getOrDefault(last, List.of()).size();
    time.advance(Duration.between(time.instant(), expected).plusMillis(1));

    assertThat(startsOf.getOrDefault(last, List.of())).hasSize(before + 1);
  }

  private ControllerTestKit<Request> storm(UnaryOperator<ControllerOptions> options) {
    Controller<Request> controller =
        Controller.named("storm")
            .options(options)
            .reconciles((request, context) -> {
              startsOf.computeIfAbsent(request, any -> new ArrayList<>()).add(time.nanos());
              if (request.namespace().equals("healthy")) {
                return Result.requeueAfter(Duration.ofSeconds(3));
              }
              if (context.failures() > 0) {
                retries.started(time.nanos());
              }
              throw new IllegalStateException("down");
            });
    ControllerTestKit<Request> kit = ControllerTestKit.of(controller, time);
    for (int i = 0; i < OBJECTS; i++) {
      kit.sink().add(Request.of("tenant", "o" + i));
    }
    time.settle();
    return kit;
  }
}
