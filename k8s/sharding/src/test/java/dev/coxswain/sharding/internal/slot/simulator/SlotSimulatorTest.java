// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testing.TestLength;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replicas that are stopped, cut, killed, started and drained, with late and lost requests and
 * clocks of different rates, over some 100,000 writes of each run without a precondition.
 */
class SlotSimulatorTest {

  private static final long TIME = 1_000_000;
  private static final long PATIENCE = 90_000;

  static Stream<Long> seeds() {
    return TestLength.seeds(2, 8);
  }

  @ParameterizedTest(name = "-Dcoxswain.seed={0}")
  @MethodSource("seeds")
  void onlyOwnersWrite_andAllSlotsHaveAnOwnerAfterTheFaults(long seed) {
    int slots = 16 << seed % 3;
    SlotSimulation simulation = new SlotSimulation(SimulationOptions.of(slots), seed);
    for (int i = 0; i < 3 + seed % 4; i++) {
      simulation.start();
    }
    simulation.run(10_000);
    simulation.runWithTrouble(TIME, 10);
    long healed = until(simulation, PATIENCE, () -> simulation.open() == slots);
    simulation.run(PATIENCE);
    System.out.println(
        "seed "
            + seed
            + ", "
            + slots
            + " slots: "
            + simulation.server()
            + ", all open after "
            + healed
            + " ms");
    assertThat(simulation.server().violations()).as("seed %s", seed).isEmpty();
    assertThat(simulation.open()).as("open slots, seed %s", seed).isEqualTo(slots);
    assertThat(simulation.server().writes())
        .as("seed %s", seed)
        .isGreaterThan(slots * (TestLength.isFixed(seed) ? 4_000L : 2_000L));
  }
}
