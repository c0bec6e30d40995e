// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.MemberOptions;
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
      BudgetSplit shares;
      try {
        shares = BudgetSplit.of(new LimiterSpec("x", rate, burst), shape);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageMatching("(limiters.x.burst|sharedLimiter.floorShare): .*");
        continue;
      }
      valid++;
      double poolRate = 1e9 / shares.poolInterval();
      double floorsRate =
          shares.hasFloors() ? shape.maxReplicas() * 1e9 / shares.floorInterval() : 0;
      double floorsBurst = (double) shape.maxReplicas() * shares.floorBurst();
      for (double window : new double[] {0, 1e-3, 0.3, 5, 1e5}) {
        double most =
            shares.capacity()
                + poolRate * (window + shares.permitNanos() / 1e9)
                + floorsBurst
                + floorsRate * (window + shares.slackNanos() / 1e9);
        assertThat(most)
            .as("seed %s, rate %s, burst %s, %s, window %s", seed, rate, burst, shape, window)
            .isLessThanOrEqualTo((burst + rate * window) * (1 + 1e-9) + 1e-6);
      }
      assertThat(shares.capacity()).isPositive();
    }
    assertThat(valid).isGreaterThan(1_000);
  }

  @Test
  void defaults_leaveMostOfTheBudgetToThePool() {
    BudgetSplit shares =
        BudgetSplit.of(new LimiterSpec("default", 10, 100), new ClusterShape(5, 0.2));
    assertThat(shares.poolInterval()).isEqualTo(125_000_000);
    assertThat(shares.permitNanos()).isEqualTo(250_000_000);
    assertThat(shares.capacity()).isEqualTo(77);
    assertThat(shares.floorInterval()).isEqualTo(2_500_000_000L);
    assertThat(shares.floorBurst()).isEqualTo(4);
  }

  @Test
  void burstTooSmallToDivide_isLeftToThePoolWhole() {
    BudgetSplit shares = BudgetSplit.of(new LimiterSpec("x", 1, 4), new ClusterShape(5, 0.2));
    assertThat(shares.hasFloors()).isFalse();
    assertThat(shares.poolInterval()).isEqualTo(1_000_000_000);
    assertThat(shares.capacity()).isEqualTo(3);
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
