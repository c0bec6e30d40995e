// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Failures, backoff windows and tokens. */
class RetryRulesTest extends QueueFixture {

  @Test
  void failure_waitsOutItsBackoff_thenTakesATokenWhenItStarts() {
    waiter.tokens = 1;
    add("a");
    fail(take());
    assertThat(phase("a")).isEqualTo(Phase.DELAYED);
    assertThat(waiter.requests).as("no token at failure time").isZero();
    pass(4);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(waiter.requests).as("no token when it becomes due").isZero();
    assertThat(takeKey()).isEqualTo("a");
    assertThat(waiter.tokens).isZero();
    assertThat(telemetry.tokens()).isEqualTo(1);
  }

  @Test
  void waitingForAToken_isNotBeingReady() {
    add("a");
    fail(take());
    pass(5);
    assertThat(takeAll()).isEmpty();
    pass(60_000);
    waiter.tokens = 1;
    assertThat(takeKey()).isEqualTo("a");
    assertThat(telemetry.longestReady()).as("workqueue_queue_duration_seconds").isZero();
    assertThat(telemetry.tokens()).isEqualTo(1);
  }

  @Test
  void noToken_theItemWaits_andTheQueueAsksAgainNoEarlierThanTold() {
    add("a");
    fail(take());
    pass(5);
    assertThat(queue.next(time.nanos())).isNull();
    assertThat(queue.next(time.nanos())).isNull();
    assertThat(waiter.requests).isEqualTo(1);
    assertThat(queue.needsWake(true)).isTrue();
    assertThat(queue.nextWake(true)).isEqualTo(time.nanos() + 1);
    assertThat(queue.needsWake(false)).as("no worker could use the token").isFalse();
  }

  @Test
  void flushedOrSupersededRetries_costNothing() {
    waiter.tokens = 5;
    for (String key : List.of("dropped", "superseded", "rescheduled")) {
      add(key);
    }
    takeAll().forEach(key -> fail(item(key)));
    pass(5);
    assertThat(queue.size(Phase.WAITING_TOKEN)).isEqualTo(3);

    queue.actions().drop(item("dropped"));
    add("superseded");
    queue.actions().reschedule(item("rescheduled"), 1_000_000);

    assertThat(takeAll()).containsExactly("superseded");
    assertThat(waiter.tokens).isEqualTo(5);
  }

  @Test
  void waitingRetries_firstInFirstOutAcrossFailureCounts() {
    waiter.tokens = 1;
    add("often");
    fail(take());
    pass(5);
    fail(take()); // its second failure: due 10 ms later
    pass(2);
    add("once");
    fail(take()); // due 5 ms later, before the other
    pass(8);

    waiter.tokens = 2;
    assertThat(takeAll()).containsExactly("once", "often");
  }

  @Test
  void eventDrivenFailureInsideTheWindow_keepsTheCountAndTheEndOfTheWindow() {
    waiter.tokens = 10;
    add("a");
    failTimes("a", 8); // the window is now 640 ms
    long end = time.nanos() + Duration.ofMillis(640).toNanos();
    pass(100);
    add("a");
    fail(take());

    assertThat(item("a").failures()).isEqualTo(8);
    assertThat(item("a").time).isEqualTo(end);
    pass(539);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
    fail(item("a"));
    assertThat(item("a").failures()).as("the retry itself counts").isEqualTo(9);
  }

  @Test
  void manyEventsDuringAnOutage_neverAdvanceTheCount() {
    waiter.tokens = 10;
    add("a");
    failTimes("a", 8);
    for (int i = 0; i < 60; i++) {
      pass(10);
      add("a");
      fail(take());
    }
    assertThat(item("a").failures()).isEqualTo(8);
  }

  @Test
  void successInsideTheWindow_endsIt() {
    waiter.tokens = 10;
    add("a");
    failTimes("a", 8);
    pass(100);
    add("a");
    queue.endings().succeed(take());
    pass(10_000);
    assertThat(takeAll()).isEmpty();
    assertThat(queue.state().failing).isZero();
  }

  @Test
  void retryAfter_isALowerBound_stillThroughTheBucket() {
    add("a");
    queue.endings().retry(take(), time.nanos(), Duration.ofSeconds(3).toNanos(), "429");
    pass(2999);
    assertThat(phase("a")).isEqualTo(Phase.DELAYED);
    pass(1);
    assertThat(phase("a")).isEqualTo(Phase.WAITING_TOKEN);
    assertThat(item("a").failures()).isEqualTo(1);
  }

  @Test
  void successResetsTheFailures_andTheNextFailureStartsAt5ms() {
    waiter.tokens = 10;
    add("a");
    failTimes("a", 6);
    pass(160);
    queue.endings().succeedAfter(take(), Duration.ofMillis(50).toNanos());
    assertThat(item("a").failures()).isZero();
    pass(50);
    fail(take());
    assertThat(item("a").time - time.nanos()).isEqualTo(5_000_000);
  }

  @Test
  void requeueAfter_takesNoToken() {
    add("a");
    queue.endings().succeedAfter(take(), 1_000_000);
    pass(1);
    assertThat(takeAll()).containsExactly("a");
    assertThat(waiter.requests).isZero();
    assertThat(item("a").trigger()).isEqualTo(Trigger.REQUEUE_AFTER);
  }

  @Test
  void requeueAfterZero_isAtTheTailOfWhatIsReady() {
    add("a");
    Item<String> running = take();
    add("b");
    queue.endings().succeedAfter(running, 0);
    assertThat(takeAll()).containsExactly("b", "a");
  }

  @Test
  void giveUp_leavesTheQueueUntilTheNextEvent_withoutFailures() {
    waiter.tokens = 10;
    add("a");
    failTimes("a", 3);
    pass(20);
    queue.endings().succeed(take());
    assertThat(queue.size()).isZero();
    assertThat(queue.state().failing).isZero();
    add("a");
    fail(take());
    assertThat(item("a").failures()).isEqualTo(1);
  }

  @Test
  void maxOf_reservesAtFailureTime_andWaitsForTheLongerOfTheTwo() {
    queue(Composition.MAX_OF, Duration.ZERO, null);
    waiter.reserveNanos = Duration.ofMillis(300).toNanos();
    add("a");
    fail(take());
    pass(299);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
    assertThat(waiter.requests).as("no token is requested again at the start").isZero();
    waiter.reserveNanos = 0;
    fail(item("a"));
    assertThat(item("a").time - time.nanos()).as("the backoff is longer").isEqualTo(10_000_000);
  }

  @Test
  void backoffOnly_asksForNoToken() {
    queue(Composition.BACKOFF_ONLY, Duration.ZERO, null);
    add("a");
    fail(take());
    pass(5);
    assertThat(takeAll()).containsExactly("a");
    assertThat(waiter.requests).isZero();
  }

  @Test
  void fairFlows_inTheLineForTokens_oneOfEachFlowInTurn() {
    queue(Composition.ADMISSION, Duration.ZERO, key -> key.charAt(0));
    for (int i = 0; i < 5; i++) {
      add("a" + i);
    }
    add("b0");
    add("c0");
    takeAll().forEach(key -> fail(item(key)));
    pass(5);
    waiter.tokens = 4;
    assertThat(takeAll()).containsExactly("a0", "b0", "c0", "a1");
  }

  @Test
  void fairFlows_insideAPriority_oneTenantCannotStarveTheRest() {
    queue(Composition.ADMISSION, Duration.ZERO, key -> key.charAt(0));
    for (int i = 0; i < 100; i++) {
      add("a" + i);
    }
    add("b0");
    add("b1");
    add("high", 10);
    assertThat(takeAll().subList(0, 5)).containsExactly("high", "a0", "b0", "a1", "b1");
  }

  @Test
  void flowFunctionThatThrows_isContainedAndCounted() {
    queue(
        Composition.ADMISSION,
        Duration.ZERO,
        key -> {
          throw new IllegalStateException("user code");
        });
    add("a");
    add("b");
    assertThat(takeAll()).containsExactly("a", "b");
    assertThat(telemetry.userCodeFailures()).isPositive();
  }

  @Test
  void flowFunctionThatChangesItsMind_losesNothing() {
    int[] calls = new int[1];
    queue(Composition.ADMISSION, Duration.ZERO, key -> calls[0]++ % 7);
    for (int i = 0; i < 50; i++) {
      add("k" + i);
    }
    for (int i = 0; i < 50; i += 2) {
      queue.actions().drop(item("k" + i));
    }
    assertThat(takeAll()).hasSize(25).doesNotHaveDuplicates();
  }

  @Test
  void paused_nothingStarts_eventsAndTimesGoOn() {
    waiter.tokens = 5;
    add("a");
    fail(take());
    queue.setPaused(true);
    add("b");
    pass(5);
    assertThat(queue.next(time.nanos())).isNull();
    assertThat(waiter.tokens).as("a paused queue keeps no token").isEqualTo(5);
    assertThat(queue.size(Phase.READY)).isEqualTo(1);
    assertThat(queue.size(Phase.WAITING_TOKEN)).isEqualTo(1);
    queue.setPaused(false);
    assertThat(takeAll()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void closed_takesNothingIn_handsNothingOut_keepsWhatRemains() {
    add("a");
    add("b");
    Item<String> running = take();
    queue.close();
    add("c");
    addAfter("d", 5);
    assertThat(queue.next(time.nanos())).isNull();
    assertThat(telemetry.rejections()).isEqualTo(2);
    queue.endings().succeed(running);
    assertThat(queue.size()).as("b is reported, not lost silently").isEqualTo(1);
  }

  private void failTimes(String key, int times) {
    for (int i = 1; i <= times; i++) {
      Item<String> item = take();
      assertThat(item.key()).isEqualTo(key);
      fail(item);
      if (i < times) {
        pass(5L << (i - 1));
      }
    }
  }
}
