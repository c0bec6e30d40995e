// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfter;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** An author sets the priority of the next attempt, and the delay of a failure. */
class OwnDelayAndPriorityTest {
  private static final Request KEY = Request.of("ns", "a");

  private final VirtualTime time = new VirtualTime();
  private final Deque<Reconciler<Request>> script = new ArrayDeque<>();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(Controller.named("script").reconciles(this::next), time);

  private Result next(Request request, ReconcileContext context) throws Exception {
    Reconciler<Request> step = script.pollFirst();
    return step == null ? Result.done() : step.reconcile(request, context);
  }

  private Optional<QueuedItem> item() {
    return kit.await(kit.handle().item(new ItemId("ns", "a")));
  }

  private int priority() {
    return item().orElseThrow().priority();
  }

  @Test
  void resultWithPriority_setsThatOfTheNextAttempt_alsoALowerOne() {
    for (Result result :
        new Result[] {Result.requeueAfter(Duration.ofMinutes(1)), Result.requeue()}) {
      for (int wanted : new int[] {7, -50, 1_000}) {
        script.add((request, context) -> result.withPriority(wanted));
        kit.add(KEY);
        assertThat(priority()).as("%s %s", result, wanted).isEqualTo(Math.min(127, wanted));
        time.advance(Duration.ofMinutes(1));
        assertThat(item()).isEmpty();
      }
    }
  }

  @Test
  void resultWithoutPriority_keepsThatOfTheAttempt() {
    script.add((request, context) -> Result.requeueAfter(Duration.ofMinutes(1)).withPriority(7));
    script.add((request, context) -> Result.requeueAfter(Duration.ofMinutes(1)));
    kit.add(KEY);
    time.advance(Duration.ofMinutes(1));
    assertThat(priority()).isEqualTo(7);
  }

  @Test
  void eventDuringTheAttempt_keepsItsHigherPriority() {
    script.add((request, context) -> {
      kit.sink().addAfter(KEY, Duration.ofSeconds(30), 5, Trigger.EVENT);
      return Result.requeueAfter(Duration.ofMinutes(1)).withPriority(-20);
    });
    script.add((request, context) -> {
      kit.sink().addAfter(KEY, Duration.ofSeconds(30), -70, Trigger.EVENT);
      return Result.requeue().withPriority(-20);
    });
    kit.add(KEY);
    assertThat(priority()).as("the event is sooner").isEqualTo(5);
    time.advance(Duration.ofSeconds(30));
    assertThat(priority()).as("the retry is sooner, the higher priority holds").isEqualTo(-20);
  }

  @Test
  void priorityOfAResultThatIsDone_changesNothing() {
    assertThat(Result.done().withPriority(9)).isEqualTo(Result.done());
    script.add((request, context) -> Result.requeueAfter(Duration.ZERO).withPriority(9));
    kit.add(KEY);
    assertThat(item()).isEmpty();
  }

  /** The third failure in a row has a backoff of 20 ms, the fifteenth one of 82 s. */
  @Test
  void failureWithADelayInstead_isRetriedThen_shorterOrLongerThanTheBackoff_throughALimiter() {
    Duration delay = Duration.ofSeconds(2);
    for (int i = 1; i <= 15; i++) {
      script.add((request, context) -> {
        throw new CompletionException(RetryAfterException.instead(delay, "busy", null));
      });
    }
    kit.add(KEY);
    for (int failures = 1; failures <= 15; failures++) {
      QueuedItem item = item().orElseThrow();
      assertThat(item.failures()).isEqualTo(failures);
      assertThat(item.phase()).isEqualTo(Phase.DELAYED);
      int started = kit.telemetry().started();
      int tokens = kit.telemetry().tokens();
      time.advance(delay.minusNanos(1));
      assertThat(kit.telemetry().started()).isEqualTo(started);
      time.advance(Duration.ofNanos(1));
      assertThat(kit.telemetry().started()).isEqualTo(started + 1);
      assertThat(kit.telemetry().tokens()).isEqualTo(tokens + 1);
    }
    assertThat(item()).isEmpty();
  }

  @Test
  void delayInsteadOfTheBackoff_doesNotShortenARunningWindow() {
    script.add((request, context) -> {
      throw new RetryAfterException(Duration.ofMinutes(1), "429");
    });
    script.add((request, context) -> {
      throw RetryAfterException.instead(Duration.ofSeconds(2), "busy", null);
    });
    kit.add(KEY);
    kit.add(KEY); // an event: the second attempt begins inside the window
    int started = kit.telemetry().started();
    assertThat(started).isEqualTo(2);
    time.advance(Duration.ofSeconds(59));
    assertThat(kit.telemetry().started()).isEqualTo(started);
    time.advance(Duration.ofSeconds(1));
    assertThat(kit.telemetry().started()).isEqualTo(started + 1);
  }

  private static final class NoDelay extends Exception implements RetryAfter {
    private static final long serialVersionUID = 1;

    @Override
    public Duration delay() {
      return Duration.ZERO;
    }

    @Override
    public boolean replacesBackoff() {
      return true;
    }
  }

  @Test
  void noDelayInsteadOfTheBackoff_isNoDelay_soTheBackoffHolds() {
    assertThatThrownBy(() -> RetryAfterException.instead(Duration.ZERO, "busy", null))
        .isInstanceOf(IllegalArgumentException.class);
    script.add((request, context) -> {
      throw new NoDelay();
    });
    kit.add(KEY);
    assertThat(item().orElseThrow().phase()).isEqualTo(Phase.DELAYED);
    int started = kit.telemetry().started();
    time.advance(Duration.ofMillis(4));
    assertThat(kit.telemetry().started()).isEqualTo(started);
  }
}
