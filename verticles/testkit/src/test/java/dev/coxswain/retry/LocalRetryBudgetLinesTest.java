// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The local bucket. */
class LocalRetryBudgetLinesTest {
  private final VirtualTime time = new VirtualTime();

  @Test
  void laneAskingBetweenLongAttempts_getsItsTurn() {
    LocalRetryBudget budget = new LocalRetryBudget("b", 10, 10, time);
    RetryBudget.Waiter busy = budget.openWaiter("busy");
    RetryBudget.Waiter storm = budget.openWaiter("storm");
    int served = 0;
    for (int i = 0; i < 60_000; i++) { // ten minutes
      storm.tryAcquire(1_000);
      if (i % 100 == 50 && busy.tryAcquire(1) == 0) {
        served++; // requests once a second, whenever its only worker is free
      }
      time.advance(Duration.ofMillis(10));
    }
    assertThat(served).as("of 6000 tokens").isPositive();
  }

  @Test
  void reservationsWithoutEnd_neverWrapIntoAFullBucket() {
    RetryBudget.Waiter waiter = new LocalRetryBudget("b", 1 / 86_400.0, 1, time).openWaiter("a");
    long last = 0;
    for (int i = 0; i < 250_000; i++) {
      long wait = waiter.reserve();
      assertThat(wait).as("reservation %s", i).isGreaterThanOrEqualTo(last);
      last = wait;
    }
  }

  @Test
  void lanesBeforeItLeave_theLaneDoesNotSleepOnAFullBucket() {
    LocalRetryBudget budget = new LocalRetryBudget("b", 1, 1, time);
    RetryBudget.Waiter first = budget.openWaiter("first");
    assertThat(first.tryAcquire(1)).isZero();
    RetryBudget.Waiter[] others = new RetryBudget.Waiter[60];
    for (int i = 0; i < others.length; i++) {
      others[i] = budget.openWaiter("o" + i);
      others[i].tryAcquire(1);
    }
    RetryBudget.Waiter last = budget.openWaiter("last");
    long told = last.tryAcquire(1);
    for (RetryBudget.Waiter other : others) {
      other.withdraw();
    }
    assertThat(Duration.ofNanos(told))
        .as("nobody wakes it earlier although the next token is there after one second")
        .isLessThanOrEqualTo(Duration.ofSeconds(2));
  }
}
