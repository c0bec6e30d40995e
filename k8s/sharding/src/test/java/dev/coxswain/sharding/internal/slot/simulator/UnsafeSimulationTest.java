// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.settled;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.search.Safeguard;
import dev.coxswain.testing.TestLength;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the simulator sees when a safeguard is left out, with the same faults that do no harm with
 * it. The side table of the caches is not part of this model.
 */
class UnsafeSimulationTest {

  private static final int SLOTS = 16;
  private static final long LEASE = SimulationOptions.TIMES.leaseDuration();

  /** One fault that needs the safeguard; returns the violations of the first run that has some. */
  private static int violations(Safeguard safeguard, SimulationOptions options) {
    int found = 0;
    for (long seed = 1; seed <= TestLength.of(4, 10) && found == 0; seed++) {
      SlotSimulation simulation = new SlotSimulation(options, seed);
      List<SimulatedReplica> replicas = settled(simulation, 3);
      SimulatedReplica x = replicas.getFirst();
      switch (safeguard) {
        case FENCE -> {
          x.planner().lag(60_000);
          x.loseRenewals(LEASE + 5_000);
        }
        case GRACE -> {
          x.delayWrites(SimulationOptions.TIMES.requestLife() - 1);
          x.loseRenewals(2 * LEASE);
        }
        case GUARD_OF_WRITES, GUARD_PER_ATTEMPT -> x.loseRenewals(2 * LEASE);
        case UNANSWERED_WRITES -> {
          replicas.forEach(one -> one.delayWrites(SimulationOptions.TIMES.requestLife() - 1));
          simulation.start();
        }
        case ABSENT_LEASE -> {
          x.loseRenewals(5_000);
          simulation.server().deleteLease(x.ordinal());
        }
        case GAP -> {
          simulation.outage(3 * LEASE);
          for (int i = 0; i < replicas.size(); i++) {
            replicas.get(i).cut(3 * LEASE + 2_500L * i);
          }
        }
      }
      simulation.run(4 * LEASE + 30_000);
      found += simulation.server().violations().size();
      found += safeguard == Safeguard.GAP ? simulation.server().fenced().size() : 0;
    }
    return found;
  }

  @ParameterizedTest
  @EnumSource(Safeguard.class)
  void withoutASafeguard_theSimulatorFindsAViolation_andWithItNone(Safeguard safeguard) {
    SimulationOptions options = SimulationOptions.of(SLOTS);
    assertThat(violations(safeguard, options.without(safeguard))).as("without").isPositive();
    assertThat(violations(safeguard, options)).as("with").isZero();
  }
}
