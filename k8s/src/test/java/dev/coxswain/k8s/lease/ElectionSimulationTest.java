// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testing.TestLength;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ElectionSimulationTest {

  /** The longest freeze, the whole lease, a call that is given up, and a few looks at it. */
  private static final Duration HEALED = Duration.ofSeconds(30 + 15 + 5 + 10);

  static Stream<Long> seeds() {
    return TestLength.seeds(2, 4);
  }

  @ParameterizedTest(name = "-Dcoxswain.seed={0}")
  @MethodSource("seeds")
  void neverTwoLead_andSomebodyLeadsAgainSoonAfterTheFaultsEnd(long seed) {
    try (ElectionSimulation simulation = new ElectionSimulation(seed, 4)) {
      for (int round = 0; round < 6; round++) {
        simulation.run(Duration.ofMinutes(5), true);
        simulation.run(HEALED, false);

        assertThat(simulation.violations()).as("seed %s, round %s", seed, round).isEmpty();
        assertThat(simulation.leaders()).as("seed %s, round %s", seed, round).hasSize(1);
      }
      assertThat(simulation.handOvers()).as("seed %s", seed).isGreaterThan(15);
    }
  }
}
