// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.view.Phase;
import org.junit.jupiter.api.Test;

/** What operators can do with single items, phase by phase. */
class OperatorActionsTest extends QueueFixture {

  @Test
  void retryNow_delayed_becomesReadyWithoutAToken_keepingItsFailures() {
    add("a");
    fail(take());
    assertThat(queue.actions().promote(item("a"))).isTrue();
    assertThat(takeKey()).isEqualTo("a");
    assertThat(item("a").failures()).isEqualTo(1);
    assertThat(item("a").trigger()).isEqualTo(Trigger.OPERATOR);
    assertThat(waiter.requests).isZero();
  }

  @Test
  void retryNow_waitingForAToken_startsWithoutAToken_keepingItsFailures() {
    add("a");
    fail(take());
    pass(5);
    assertThat(phase("a")).isEqualTo(Phase.WAITING_TOKEN);
    assertThat(queue.actions().promote(item("a"))).isTrue();
    assertThat(takeKey()).isEqualTo("a");
    assertThat(item("a").failures()).isEqualTo(1);
    assertThat(item("a").trigger()).isEqualTo(Trigger.OPERATOR);
    assertThat(waiter.requests).isZero();
  }

  @Test
  void retryWithin_waitingForAToken_isSpread_andTakesNoToken() {
    add("a");
    fail(take());
    pass(5);
    assertThat(queue.actions().promoteWithin(item("a"), 1_000_000_000L)).isTrue();
    assertThat(phase("a")).isEqualTo(Phase.DELAYED);
    pass(1000);
    assertThat(takeKey()).isEqualTo("a");
    assertThat(waiter.requests).isZero();
  }

  @Test
  void retryNow_ready_isANoOp_inFlight_runsOnceMore() {
    add("a");
    assertThat(queue.actions().promote(item("a"))).isFalse();
    Item<String> running = take();
    assertThat(queue.actions().promote(running)).isTrue();
    queue.endings().succeed(running);
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void changeThatIsFlushedWhileInFlight_leadsToNoLaterAttempt() {
    add("a");
    Item<String> running = take();
    add("a");
    running.origin(Origin.ofTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
    assertThat(queue.actions().dropDirty(running)).isTrue();
    queue.endings().succeedAfter(running, 0);
    assertThat(take().takeOrigin()).isNull();
  }

  @Test
  void forget_resetsFailures_keepsPlaceAndTime() {
    add("a");
    fail(take());
    long due = item("a").time;
    assertThat(queue.actions().forget(item("a"), false)).isTrue();
    assertThat(item("a").failures()).isZero();
    assertThat(item("a").time).isEqualTo(due);
    assertThat(phase("a")).isEqualTo(Phase.DELAYED);
    assertThat(queue.state().failing).isZero();
    assertThat(queue.actions().forget(item("a"), false)).as("nothing left to forget").isFalse();
  }

  @Test
  void forgetAndReschedule_makesADelayedRetryDueNow() {
    add("a");
    fail(take());
    assertThat(queue.actions().forget(item("a"), true)).isTrue();
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void forgetWhileInFlight_theFailureThatFollowsIsTheFirst() {
    waiter.tokens = 1;
    add("a");
    fail(take());
    pass(5);
    Item<String> running = take();
    queue.actions().forget(running, false);
    fail(running);
    assertThat(item("a").failures()).isEqualTo(1);
  }

  @Test
  void drop_everyPhaseButInFlight() {
    add("ready");
    addAfter("delayed", 100);
    add("waiting", 1);
    fail(take());
    pass(5);
    add("running", 2);
    Item<String> running = take();

    assertThat(queue.actions().drop(item("ready"))).isTrue();
    assertThat(queue.actions().drop(item("delayed"))).isTrue();
    assertThat(queue.actions().drop(item("waiting"))).isTrue();
    assertThat(queue.actions().drop(running)).isFalse();
    assertThat(queue.size()).isEqualTo(1);
    assertThat(queue.state().failing).isZero();
    queue.endings().succeed(running);
    pass(1000);
    assertThat(takeAll()).isEmpty();
  }

  @Test
  void dropThenAdd_isANewItemWithoutAPast() {
    add("a");
    fail(take());
    long seq = queue.state().seqOf(item("a"));
    queue.actions().drop(item("a"));
    add("a");
    assertThat(item("a").failures()).isZero();
    assertThat(queue.state().seqOf(item("a"))).isGreaterThan(seq);
    queue.endings().succeed(take());
    pass(1000);
    assertThat(takeAll()).as("processed once").isEmpty();
  }

  @Test
  void dropDirty_inFlightForgetsThatItWasAddedAgain() {
    add("a");
    Item<String> running = take();
    add("a");
    addAfter("a", 100);
    assertThat(queue.actions().dropDirty(running)).isTrue();
    queue.endings().succeed(running);
    pass(1000);
    assertThat(takeAll()).isEmpty();
    assertThat(queue.state().dirty).isZero();
  }

  @Test
  void rescheduleOfARetry_stillPaysItsToken() {
    add("a");
    fail(take());
    queue.actions().reschedule(item("a"), 1_000_000);
    pass(1);
    assertThat(phase("a")).isEqualTo(Phase.WAITING_TOKEN);
  }

  @Test
  void rescheduleWhileInFlight_replacesAnEarlierTime() {
    add("a");
    Item<String> running = take();
    addAfter("a", 10);
    queue.actions().reschedule(running, 50_000_000);
    queue.endings().succeed(running);
    pass(49);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
  }
}
