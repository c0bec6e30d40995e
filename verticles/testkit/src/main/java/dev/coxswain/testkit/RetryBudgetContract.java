// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.retry.RetryBudget;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The tests that every {@link RetryBudget} must pass; run them by extending this class. */
public abstract class RetryBudgetContract {

  /** The time that the budget uses. */
  protected final VirtualTime time = new VirtualTime();

  /** Creates the contract. */
  protected RetryBudgetContract() {}

  /** Creates a full budget on {@link #time}. */
  protected abstract RetryBudget create(double rate, int burst);

  /** The burst of the small budgets; a budget may need more room than one token. */
  protected int smallBurst() {
    return 1;
  }

  /** Returns how many tokens of its burst a full budget grants at once, at least. */
  protected int atOnce(int burst) {
    return burst;
  }

  /** Processes pending responses, without time passing. */
  protected void settle() {}

  private boolean takes(RetryBudget.Waiter waiter, int waiting) {
    if (waiter.tryAcquire(waiting) == 0) {
      return true;
    }
    settle();
    return waiter.tryAcquire(waiting) == 0;
  }

  private void drain(RetryBudget.Waiter waiter) {
    while (takes(waiter, 1_000)) {
      // until it is empty
    }
    waiter.withdraw();
  }

  @Test
  void anyWindow_neverMoreThanBurstPlusRateTimesT() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      double rate = new double[] {0.5, 3, 10, 700, 100_000}[random.nextInt(5)];
      int burst =
          Math.max(smallBurst(), (int) (rate / 40))
              + random.nextInt(random.nextBoolean() ? 3 : 200);
      RetryBudget budget = create(rate, burst);
      RetryBudget.Waiter[] waiters = {
        budget.openWaiter("a"), budget.openWaiter("b"), budget.openWaiter("c")
      };
      RetryWindows windows = new RetryWindows();
      for (int i = 0; i < 3_000; i++) {
        RetryBudget.Waiter waiter = waiters[random.nextInt(waiters.length)];
        if (random.nextInt(20) == 0) {
          waiter.withdraw();
        } else if (takes(waiter, 1 + random.nextInt(50))) {
          windows.started(time.nanos());
        }
        if (random.nextInt(4) == 0) {
          time.advance(Duration.ofNanos((long) (random.nextDouble() * 3e9 / rate)));
        }
      }
      assertThat(windows.worstExcess(rate, burst))
          .as("seed %s, rate %s, burst %s", seed, rate, burst)
          .isLessThanOrEqualTo(1e-6);
      assertThat(windows.count()).as("seed %s", seed).isPositive();
    }
  }

  @Test
  void waiterThatReturnsInTime_getsTheRate() {
    RetryBudget.Waiter waiter = create(10, 10).openWaiter("a");
    drain(waiter);
    int served = 0;
    long begin = time.nanos();
    while (time.nanos() - begin < 30_000_000_000L) {
      long wait = waiter.tryAcquire(9);
      if (wait == 0) {
        served++;
        continue;
      }
      settle();
      wait = waiter.tryAcquire(9);
      if (wait == 0) {
        served++;
      } else {
        time.advance(Duration.ofNanos(wait));
      }
    }
    assertThat(served).isBetween(290, 301);
  }

  @Test
  void idleBudget_fillsUpToItsBurstAndNoFurther() {
    RetryBudget.Waiter waiter = create(10, 40).openWaiter("a");
    time.advance(Duration.ofHours(5));
    int taken = 0;
    while (takes(waiter, 100)) {
      taken++;
    }
    assertThat(taken).isBetween(atOnce(40), 40);
  }

  @Test
  void waiters_areServedInTurn_whateverTheirBacklogs() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Waiter[] waiters = {
      budget.openWaiter("a"), budget.openWaiter("b"), budget.openWaiter("c")
    };
    drain(waiters[0]);
    int[] waiting = {100_000, 100, 3_000};
    int[] served = new int[3];
    for (int i = 0; i < 3_000; i++) {
      for (int j = 0; j < waiters.length; j++) {
        if (takes(waiters[j], waiting[j])) {
          served[j]++;
        }
      }
      time.advance(Duration.ofMillis(10));
    }
    assertThat(served[0] + served[1] + served[2]).isBetween(290, 301);
    int share = (served[0] + served[1] + served[2]) / 3;
    for (int count : served) {
      assertThat(count).isBetween(share - 2, share + 2);
    }
  }

  @Test
  void waiterWithoutRequests_doesNotHoldUpTheOthers() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Waiter hung = budget.openWaiter("hung");
    RetryBudget.Waiter lively = budget.openWaiter("lively");
    drain(lively);
    assertThat(hung.tryAcquire(50)).isPositive(); // first in the queue, and calls no more
    int served = 0;
    for (int i = 0; i < 1_000; i++) {
      if (takes(lively, 50)) {
        served++;
      }
      time.advance(Duration.ofMillis(10));
    }
    assertThat(served).isBetween(90, 101);
  }

  @Test
  void closedWaiter_givesItsTurnToTheNext() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Waiter first = budget.openWaiter("first");
    RetryBudget.Waiter second = budget.openWaiter("second");
    drain(first);
    takes(first, 1);
    takes(second, 1);
    first.withdraw();
    time.advance(Duration.ofMillis(150));
    assertThat(takes(second, 1)).isTrue();
  }

  @Test
  void snapshot_hasWaitersAndCounts() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Waiter waiter = budget.openWaiter("b");
    budget.openWaiter("a");
    assertThat(takes(waiter, 9)).isTrue();
    assertThat(takes(waiter, 8)).isTrue();
    drain(waiter);
    assertThat(waiter.tryAcquire(6)).isPositive();
    var snapshot = budget.snapshot();
    assertThat(snapshot.granted()).isBetween((long) atOnce(10), 10L);
    assertThat(snapshot.denied()).isPositive();
    assertThat(snapshot.waiting()).isEqualTo(6);
    assertThat(snapshot.consumers()).containsExactly("a", "b");
    waiter.close();
    assertThat(budget.snapshot().waiting()).isZero();
    assertThat(budget.snapshot().consumers()).containsExactly("a");
  }
}
