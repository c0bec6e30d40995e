// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.retry.RetryBudget;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link RetryBudget} must do; run it by extending this class. */
public abstract class RetryBudgetContract {

  /** The time that the budget is made with. */
  protected final VirtualTime time = new VirtualTime();

  /** Creates the contract. */
  protected RetryBudgetContract() {}

  /** Creates a full budget on {@link #time}. */
  protected abstract RetryBudget create(double rate, int burst);

  @Test
  void anyWindow_neverMoreThanBurstPlusRateTimesT() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      double rate = new double[] {0.5, 3, 10, 700, 100_000}[random.nextInt(5)];
      int burst = 1 + random.nextInt(random.nextBoolean() ? 3 : 200);
      RetryBudget budget = create(rate, burst);
      RetryBudget.Lane[] lanes = {budget.openLane("a"), budget.openLane("b"), budget.openLane("c")};
      RetryWindows windows = new RetryWindows();
      for (int i = 0; i < 3_000; i++) {
        RetryBudget.Lane lane = lanes[random.nextInt(lanes.length)];
        if (random.nextInt(20) == 0) {
          lane.withdraw();
        } else if (lane.tryAcquire(1 + random.nextInt(50)) == 0) {
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
  void whoeverComesBackWhenTold_getsATokenThen() {
    RetryBudget.Lane lane = create(10, 2).openLane("a");
    assertThat(lane.tryAcquire(9)).isZero();
    assertThat(lane.tryAcquire(8)).isZero();
    for (int i = 0; i < 50; i++) {
      long wait = lane.tryAcquire(7);
      assertThat(wait).isPositive();
      time.advance(Duration.ofNanos(wait - 1));
      assertThat(lane.tryAcquire(7)).as("not a nanosecond earlier").isEqualTo(1);
      time.advance(Duration.ofNanos(1));
      assertThat(lane.tryAcquire(7)).isZero();
    }
  }

  @Test
  void idleBudget_fillsUpToItsBurstAndNoFurther() {
    RetryBudget.Lane lane = create(10, 5).openLane("a");
    time.advance(Duration.ofHours(5));
    int taken = 0;
    while (lane.tryAcquire(100) == 0) {
      taken++;
    }
    assertThat(taken).isEqualTo(5);
  }

  @Test
  void lanesThatWait_areServedInTurn_howeverMuchOneWants() {
    RetryBudget budget = create(10, 1);
    RetryBudget.Lane[] lanes = {budget.openLane("a"), budget.openLane("b"), budget.openLane("c")};
    int[] waiting = {100_000, 100, 3_000};
    int[] served = new int[3];
    for (int i = 0; i < 3_000; i++) {
      for (int j = 0; j < lanes.length; j++) {
        if (lanes[j].tryAcquire(waiting[j]) == 0) {
          served[j]++;
        }
      }
      time.advance(Duration.ofMillis(10));
    }
    assertThat(served[0] + served[1] + served[2]).isBetween(299, 301);
    for (int count : served) {
      assertThat(count).isBetween(99, 101);
    }
  }

  @Test
  void laneThatStopsAsking_doesNotHoldUpTheOthers() {
    RetryBudget budget = create(10, 1);
    RetryBudget.Lane hung = budget.openLane("hung");
    RetryBudget.Lane lively = budget.openLane("lively");
    assertThat(lively.tryAcquire(1)).isZero();
    assertThat(hung.tryAcquire(50)).isPositive(); // first in the line, and never seen again
    int served = 0;
    for (int i = 0; i < 1_000; i++) {
      if (lively.tryAcquire(50) == 0) {
        served++;
      }
      time.advance(Duration.ofMillis(10));
    }
    assertThat(served).isBetween(95, 101);
  }

  @Test
  void withdrawnLane_givesItsTurnToTheNext() {
    RetryBudget budget = create(10, 1);
    RetryBudget.Lane first = budget.openLane("first");
    RetryBudget.Lane second = budget.openLane("second");
    assertThat(first.tryAcquire(2)).isZero();
    first.tryAcquire(1);
    second.tryAcquire(1);
    first.withdraw();
    time.advance(Duration.ofMillis(100));
    assertThat(second.tryAcquire(1)).isZero();
  }

  @Test
  void reserve_takesWithoutAsking_andTellsHowLongToWait() {
    RetryBudget.Lane lane = create(10, 2).openLane("a");
    assertThat(lane.reserve()).isZero();
    assertThat(lane.reserve()).isZero();
    assertThat(lane.reserve()).isEqualTo(100_000_000);
    assertThat(lane.reserve()).isEqualTo(200_000_000);
  }

  @Test
  void snapshot_tellsTokensWaitersAndCounts() {
    RetryBudget budget = create(10, 3);
    RetryBudget.Lane lane = budget.openLane("b");
    budget.openLane("a");
    lane.tryAcquire(9);
    assertThat(budget.snapshot().tokens()).isEqualTo(2);
    lane.tryAcquire(8);
    lane.tryAcquire(7);
    lane.tryAcquire(6);
    var snapshot = budget.snapshot();
    assertThat(snapshot.granted()).isEqualTo(3);
    assertThat(snapshot.denied()).isEqualTo(1);
    assertThat(snapshot.waiting()).isEqualTo(6);
    assertThat(snapshot.consumers()).containsExactly("a", "b");
    lane.close();
    assertThat(budget.snapshot().waiting()).isZero();
  }
}
