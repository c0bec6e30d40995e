// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestAttemptTest {

  @Test
  void aReconciler_isCalledWithIt() throws Exception {
    Reconciler<Request> reconciler =
        (_, context) ->
            context.failures() > 2 ? Result.requeueAfter(Duration.ofHours(1)) : Result.requeue();
    Request cart = Request.of("shop", "cart");

    assertThat(reconciler.reconcile(cart, TestAttempt.of("carts"))).isEqualTo(Result.requeue());
    assertThat(reconciler.reconcile(cart, TestAttempt.of("carts").withFailures(3)))
        .isEqualTo(Result.requeueAfter(Duration.ofHours(1)));
  }

  @Test
  void eachValue_isWhatItWasSetTo_andTheOthersStay() {
    TestAttempt attempt =
        TestAttempt.of("carts")
            .withTrigger(Trigger.RESYNC)
            .withFailures(2)
            .withSlot(7)
            .withTimeLeft(Duration.ofSeconds(3))
            .withTraceParent("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01");

    assertThat(attempt.controller()).isEqualTo("carts");
    assertThat(attempt.trigger()).isEqualTo(Trigger.RESYNC);
    assertThat(attempt.failures()).isEqualTo(2);
    assertThat(attempt.slot()).isEqualTo(7);
    assertThat(attempt.timeLeft()).isEqualTo(Duration.ofSeconds(3));
    assertThat(attempt.traceId()).isEqualTo("0123456789abcdef0123456789abcdef");
    attempt.ensureOwned();
    assertThatThrownBy(attempt.withTimeLeft(Duration.ZERO)::ensureOwned)
        .isInstanceOf(LostOwnershipException.class);
  }

  @Test
  void cancel_runsTheActionsOnce_inTheirOrder_andLaterOnesAtOnce() {
    TestAttempt attempt = TestAttempt.of("carts");
    List<String> ran = new ArrayList<>();
    attempt.onCancel(() -> ran.add("first"));
    attempt.onCancel(() -> ran.add("second"));
    assertThat(attempt.isCancelled()).isFalse();

    attempt.cancel();
    attempt.cancel();
    attempt.onCancel(() -> ran.add("third"));

    assertThat(attempt.isCancelled()).isTrue();
    assertThat(ran).containsExactly("first", "second", "third");
  }
}
