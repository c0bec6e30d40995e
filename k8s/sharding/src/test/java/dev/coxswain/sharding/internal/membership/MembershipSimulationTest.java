// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testing.TestLength;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replicas of two generations over too few Leases, for half an hour of virtual time in which they
 * freeze, die, leave, lose their way to the API server, and requests are late, or lost, or answered
 * too late. The laws are looked at after every single event.
 */
class MembershipSimulationTest {

  private static final int COUNT = 4;
  private static final int REPLICAS = 6;

  /** All list all Leases; or from the second replica on they read some one by one between rare lists. */
  static Stream<Arguments> seeds() {
    return TestLength.seeds(3, 12)
        .flatMap(seed -> Stream.of(Arguments.of(seed, REPLICAS), Arguments.of(seed, 1)));
  }

  @ParameterizedTest(name = "-Dcoxswain.seed={0}, each lists all up to {1} replicas")
  @MethodSource("seeds")
  void
      noLeaseHasTwoHolders_noTwoGenerationsUseThePool_shownOverridesAreSeen_andAllHoldLeasesAfterHealing(
          long seed, int small) throws Exception {
    try (MembershipSimulation simulation =
        new MembershipSimulation(new Random(seed), COUNT, small)) {
      for (int i = 0; i < REPLICAS; i++) {
        simulation.start(i, i % 3 == 0 ? "two" : "one");
      }
      simulation.chaos(Duration.ofMinutes(30), REPLICAS);

      assertThat(simulation.checks().violations()).as("seed " + seed).isEmpty();
      if (TestLength.isFixed(seed)) {
        reachedAll(simulation, seed);
      }

      simulation.heal(COUNT, "one");
      simulation.run(Duration.ofMinutes(2));

      assertThat(simulation.checks().violations()).as("seed " + seed).isEmpty();
      assertThat(simulation.statuses())
          .as("seed " + seed)
          .hasSize(COUNT)
          .allSatisfy(status -> {
            assertThat(status.acting()).isTrue();
            assertThat(status.poolAllowed()).as(status.problem()).isTrue();
            assertThat(status.liveReplicas()).isEqualTo(COUNT);
            assertThat(status.taken()).allMatch(ReplicaLeaseStatus.Taken::settled);
          });
    }
  }

  /** Half an hour may also pass without a moment for the pool (seed 748758605). */
  private static void reachedAll(MembershipSimulation simulation, long seed) {
    assertThat(simulation.checks().takeovers())
        .as("something happened, seed " + seed)
        .isGreaterThan(20);
    assertThat(simulation.checks().poolUsers()).as("the pool was used, seed " + seed).isNotEmpty();
    assertThat(simulation.checks().freeOfOverrides())
        .as("before the first, seed " + seed)
        .isPositive();
    assertThat(simulation.checks().longShown())
        .as("an override was shown, seed " + seed)
        .isPositive();
  }
}
