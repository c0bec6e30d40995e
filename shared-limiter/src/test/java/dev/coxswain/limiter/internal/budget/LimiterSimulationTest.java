// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LimiterSimulationTest {
  /** What a replica may start less at the begin and at the end of a time, when its permits come late. */
  private static final int EDGES = 4;

  private static final int SCHEDULES = Integer.getInteger("coxswain.schedules", 1_000);

  /**
   * The promise, over random schedules of crashes, freezes, migrations, lost state, cuts, late and
   * lost messages, with clocks that have nothing in common. A failing seed is run again with {@code
   * -Dcoxswain.seed=N -Dcoxswain.schedules=1}.
   */
  @Test
  void whateverFails_noWindowExceedsTheCap_andPeaceBringsTheRateBack() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    int slow = 0;
    for (int i = 0; i < SCHEDULES; i++) {
      LimiterSimulation simulation = new LimiterSimulation(seed + i, false);
      simulation.run();
      assertThat(simulation.worstExcess())
          .as("seed %s, rate %s, burst %s", seed + i, simulation.rate, simulation.burst)
          .isLessThanOrEqualTo(1e-6);
      double expected = simulation.expectedAfterFaults();
      assertThat((double) simulation.startsAfterFaults())
          .as("starts after the faults, seed %s", seed + i)
          .isGreaterThan(expected / 3 - 2);
      slow += simulation.startsAfterFaults() < 0.75 * expected - 2 ? 1 : 0;
    }
    assertThat(slow)
        .as("schedules with less than 75 %% of the rate, seed %s", seed)
        .isLessThanOrEqualTo(Math.max(1, SCHEDULES / 20));
  }

  /**
   * With overrides during the faults and a lower limit after them: all replicas apply it, also after
   * the loss of the entry, and retries start at its rate.
   */
  @Test
  void faultsBetweenOverrides_theNextOverrideAppliesToAllReplicas() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    double starts = 0;
    double fewest = 0;
    for (int i = 0; i < SCHEDULES; i++) {
      LimiterSimulation simulation = new LimiterSimulation(seed + i, true);
      simulation.run();
      assertThat(simulation.worstExcess())
          .as("seed %s, rate %s, burst %s", seed + i, simulation.rate, simulation.burst)
          .isLessThanOrEqualTo(1e-6);
      assertThat((double) simulation.startsWhenLowered())
          .as("starts, seed %s", seed + i)
          .isGreaterThanOrEqualTo(simulation.fewestWhenLowered() - EDGES);
      starts += simulation.startsWhenLowered();
      fewest += simulation.fewestWhenLowered();
    }
    assertThat(starts).as("starts of all schedules, seed %s", seed).isGreaterThan(1.5 * fewest);
  }
}
