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
    RetryBudget.Lane busy = budget.openLane("busy");
    RetryBudget.Lane storm = budget.openLane("storm");
    int served = 0;
    for (int i = 0; i < 60_000; i++) { // ten minutes
      storm.tryAcquire(1_000);
      if (i % 100 == 50 && busy.tryAcquire(1) == 0) {
        served++; // asks once a second, whenever its only worker comes free
      }
      time.advance(Duration.ofMillis(10));
    }
    assertThat(served).as("of 6000 tokens").isPositive();
  }

  @Test
  void reservationsWithoutEnd_neverWrapIntoAFullBucket() {
    RetryBudget.Lane lane = new LocalRetryBudget("b", 1 / 86_400.0, 1, time).openLane("a");
    long last = 0;
    for (int i = 0; i < 250_000; i++) {
      long wait = lane.reserve();
      assertThat(wait).as("reservation %s", i).isGreaterThanOrEqualTo(last);
      last = wait;
    }
  }

  @Test
  void lanesBeforeItLeave_theLaneDoesNotSleepOnAFullBucket() {
    LocalRetryBudget budget = new LocalRetryBudget("b", 1, 1, time);
    RetryBudget.Lane first = budget.openLane("first");
    assertThat(first.tryAcquire(1)).isZero();
    RetryBudget.Lane[] others = new RetryBudget.Lane[60];
    for (int i = 0; i < others.length; i++) {
      others[i] = budget.openLane("o" + i);
      others[i].tryAcquire(1);
    }
    RetryBudget.Lane last = budget.openLane("last");
    long told = last.tryAcquire(1);
    for (RetryBudget.Lane other : others) {
      other.withdraw();
    }
    assertThat(Duration.ofNanos(told))
        .as("nobody wakes it earlier although the next token is there after one second")
        .isLessThanOrEqualTo(Duration.ofSeconds(2));
  }
}
