// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.RateOverride;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BudgetSplitTest {

  /** Pool and floors together, with what expiry and hand-over add, over windows of many lengths. */
  @Test
  void anyLimiter_sharesNeverSumToMoreThanTheBudget() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    int valid = 0;
    for (int i = 0; i < 100_000; i++) {
      double rate = Math.exp(random.nextDouble() * 20 - 9);
      int burst = 1 + (int) Math.exp(random.nextDouble() * 10);
      ClusterShape shape =
          new ClusterShape(
              1 + random.nextInt(20), random.nextInt(4) == 0 ? 0 : random.nextDouble() * 0.9);
      BudgetSplit split;
      try {
        split = BudgetSplit.of(new LimiterSpec("x", rate, burst), shape);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageMatching("(limiters.x.burst|sharedLimiter.floorShare): .*");
        continue;
      }
      valid++;
      double poolRate = 1e9 / split.poolInterval();
      double floorsRate = split.hasFloors() ? shape.maxReplicas() * 1e9 / split.floorInterval() : 0;
      double floorsBurst = (double) shape.maxReplicas() * split.floorBurst();
      for (double window : new double[] {0, 1e-3, 0.3, 5, 1e5}) {
        double most =
            split.capacity()
                + poolRate * (window + split.permitNanos() / 1e9)
                + floorsBurst
                + floorsRate * (window + split.slackNanos() / 1e9);
        assertThat(most)
            .as("seed %s, rate %s, burst %s, %s, window %s", seed, rate, burst, shape, window)
            .isLessThanOrEqualTo((burst + rate * window) * (1 + 1e-9) + 1e-6);
      }
      assertThat(split.capacity()).isPositive();
    }
    assertThat(valid).isGreaterThan(1_000);
  }

  /**
   * A change reaches the pool at once and each replica when it can. Until then the pool is at the
   * new limits and floors are at others: all that any limits leave to the pool, and all that any
   * others leave to the floors, are together within the larger of both.
   */
  @Test
  void poolAndFloorsOfDifferentLimits_neverSumToMoreThanTheLargerOfBoth() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    int valid = 0;
    for (int i = 0; i < 100_000; i++) {
      double rate = Math.exp(random.nextDouble() * 10 - 2);
      int burst = 1 + (int) Math.exp(random.nextDouble() * 6);
      ClusterShape shape =
          new ClusterShape(1 + random.nextInt(8), random.nextInt(9) * random.nextDouble() / 9);
      LimiterSpec spec = new LimiterSpec("x", rate, burst, 1e6, 1_000_000);
      RateOverride[] limits = {overrideNear(spec, random), overrideNear(spec, random)};
      BudgetSplit pool;
      BudgetSplit floors;
      try {
        pool = BudgetSplit.of(spec, limits[0], shape);
        floors = BudgetSplit.of(spec, limits[1], shape);
      } catch (IllegalArgumentException e) {
        continue; // a burst too small for the rate is refused
      }
      valid++;
      double floorsRate =
          floors.hasFloors() ? shape.maxReplicas() * 1e9 / floors.floorInterval() : 0;
      double most = Math.max(limits[0].rate(), limits[1].rate());
      int mostBurst = Math.max(limits[0].burst(), limits[1].burst());
      for (double window : new double[] {0, 1e-3, 0.3, 5, 1e5}) {
        double sum =
            pool.capacity()
                + 1e9 / pool.poolInterval() * (window + pool.permitNanos() / 1e9)
                + (double) shape.maxReplicas() * floors.floorBurst()
                + floorsRate * (window + floors.slackNanos() / 1e9);
        assertThat(sum)
            .as("seed %s, %s, %s, %s over %s s", seed, spec, shape, List.of(limits), window)
            .isLessThanOrEqualTo((mostBurst + most * window) * (1 + 1e-9) + 1e-6);
      }
    }
    assertThat(valid).isGreaterThan(1_000);
  }

  /** Returns the configured limits, or others of which rate and burst are near them. */
  private static RateOverride overrideNear(LimiterSpec spec, Random random) {
    double rate =
        random.nextInt(3) == 0 ? spec.rate() : spec.rate() * Math.exp(random.nextGaussian());
    double burst = random.nextInt(3) == 0 ? 1 : Math.exp(random.nextGaussian());
    return new RateOverride(0, rate, Math.max(1, (int) (spec.burst() * burst)), 1);
  }

  @Test
  void defaults_leaveMostOfTheBudgetToThePool() {
    BudgetSplit split =
        BudgetSplit.of(new LimiterSpec("default", 10, 100), new ClusterShape(5, 0.2));
    assertThat(split.poolInterval()).isEqualTo(125_000_000);
    assertThat(split.permitNanos()).isEqualTo(250_000_000);
    assertThat(split.capacity()).isEqualTo(77);
    assertThat(split.floorInterval()).isEqualTo(2_500_000_000L);
    assertThat(split.floorBurst()).isEqualTo(4);
  }

  @Test
  void burstTooSmallToDivide_isLeftToThePoolWhole() {
    BudgetSplit split = BudgetSplit.of(new LimiterSpec("x", 1, 4), new ClusterShape(5, 0.2));
    assertThat(split.hasFloors()).isFalse();
    assertThat(split.poolInterval()).isEqualTo(1_000_000_000);
    assertThat(split.capacity()).isEqualTo(3);
  }

  @Test
  void badInput_isRefusedNamingTheKey() {
    ClusterShape shape = new ClusterShape(5, 0.2);
    assertThatThrownBy(() -> BudgetSplit.of(new LimiterSpec("x", 1, 1), shape))
        .hasMessageStartingWith("limiters.x.burst: 1 is too small for 1.0 retries per second");
    assertThatThrownBy(() -> BudgetSplit.of(new LimiterSpec("x", 1_000, 10), shape))
        .hasMessageStartingWith("limiters.x.burst: 10 is too small");
    for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e7}) {
      assertThatThrownBy(() -> new LimiterSpec("x", rate, 10))
          .hasMessageStartingWith("limiters.x.rate:");
    }
    assertThatThrownBy(() -> new LimiterSpec("x", 1, 0))
        .hasMessageStartingWith("limiters.x.burst:");
    assertThatThrownBy(() -> new LimiterSpec("x", 5, 9, 4, 9))
        .hasMessageStartingWith("limiters.x.maxRate:");
    assertThatThrownBy(() -> new LimiterSpec("x", 5, 9, 5, 8))
        .hasMessageStartingWith("limiters.x.maxBurst:");
    assertThatThrownBy(() -> new ClusterShape(0, 0.2))
        .hasMessageStartingWith("sharedLimiter.maxReplicas:");
    assertThatThrownBy(() -> new ClusterShape(5, 1))
        .hasMessageStartingWith("sharedLimiter.floorShare:");
    assertThatThrownBy(() -> MemberOptions.of("a").withHost("h").withPort(70_000))
        .hasMessageStartingWith("sharedLimiter.port:");
    assertThatThrownBy(() -> MemberOptions.of("a").withMembers(java.util.List.of("nowhere")))
        .hasMessageStartingWith("sharedLimiter.members:");
  }
}
