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

  /** The bursts that the laws are tried with; a budget may need more room than one token. */
  protected int smallBurst() {
    return 1;
  }

  /** How many tokens a full budget has at least, out of its burst. */
  protected int atOnce(int burst) {
    return burst;
  }

  /** Lets answers arrive that are under way, without time passing. */
  protected void settle() {}

  private boolean takes(RetryBudget.Lane lane, int waiting) {
    if (lane.tryAcquire(waiting) == 0) {
      return true;
    }
    settle();
    return lane.tryAcquire(waiting) == 0;
  }

  private void drain(RetryBudget.Lane lane) {
    while (takes(lane, 1_000)) {
      // until it is empty
    }
    lane.withdraw();
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
      RetryBudget.Lane[] lanes = {budget.openLane("a"), budget.openLane("b"), budget.openLane("c")};
      RetryWindows windows = new RetryWindows();
      for (int i = 0; i < 3_000; i++) {
        RetryBudget.Lane lane = lanes[random.nextInt(lanes.length)];
        if (random.nextInt(20) == 0) {
          lane.withdraw();
        } else if (takes(lane, 1 + random.nextInt(50))) {
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
  void whoeverComesBackWhenTold_getsTheRate() {
    RetryBudget.Lane lane = create(10, 10).openLane("a");
    drain(lane);
    int served = 0;
    long begin = time.nanos();
    while (time.nanos() - begin < 30_000_000_000L) {
      long wait = lane.tryAcquire(9);
      if (wait == 0) {
        served++;
        continue;
      }
      settle();
      wait = lane.tryAcquire(9);
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
    RetryBudget.Lane lane = create(10, 40).openLane("a");
    time.advance(Duration.ofHours(5));
    int taken = 0;
    while (takes(lane, 100)) {
      taken++;
    }
    assertThat(taken).isBetween(atOnce(40), 40);
  }

  @Test
  void lanesThatWait_areServedInTurn_howeverMuchOneWants() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Lane[] lanes = {budget.openLane("a"), budget.openLane("b"), budget.openLane("c")};
    drain(lanes[0]);
    int[] waiting = {100_000, 100, 3_000};
    int[] served = new int[3];
    for (int i = 0; i < 3_000; i++) {
      for (int j = 0; j < lanes.length; j++) {
        if (takes(lanes[j], waiting[j])) {
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
  void laneThatStopsAsking_doesNotHoldUpTheOthers() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Lane hung = budget.openLane("hung");
    RetryBudget.Lane lively = budget.openLane("lively");
    drain(lively);
    assertThat(hung.tryAcquire(50)).isPositive(); // first in the line, and never seen again
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
  void withdrawnLane_givesItsTurnToTheNext() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Lane first = budget.openLane("first");
    RetryBudget.Lane second = budget.openLane("second");
    drain(first);
    takes(first, 1);
    takes(second, 1);
    first.withdraw();
    time.advance(Duration.ofMillis(150));
    assertThat(takes(second, 1)).isTrue();
  }

  @Test
  void snapshot_tellsWaitersAndCounts() {
    RetryBudget budget = create(10, 10);
    RetryBudget.Lane lane = budget.openLane("b");
    budget.openLane("a");
    assertThat(takes(lane, 9)).isTrue();
    assertThat(takes(lane, 8)).isTrue();
    drain(lane);
    assertThat(lane.tryAcquire(6)).isPositive();
    var snapshot = budget.snapshot();
    assertThat(snapshot.granted()).isBetween((long) atOnce(10), 10L);
    assertThat(snapshot.denied()).isPositive();
    assertThat(snapshot.waiting()).isEqualTo(6);
    assertThat(snapshot.consumers()).containsExactly("a", "b");
    lane.close();
    assertThat(budget.snapshot().waiting()).isZero();
    assertThat(budget.snapshot().consumers()).containsExactly("a");
  }
}
