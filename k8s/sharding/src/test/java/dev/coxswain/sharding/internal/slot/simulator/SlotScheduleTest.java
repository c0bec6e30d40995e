// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.entries;
import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.settle;
import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.settled;
import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.surplus;
import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.testing.TestLength;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The numbered schedules of the protocol, with real clocks and late requests. */
class SlotScheduleTest {

  private static final int SLOTS = 16;
  private static final long LEASE = SimulationOptions.TIMES.leaseDuration();

  private static SlotSimulation simulation(long seed) {
    return new SlotSimulation(SimulationOptions.of(SLOTS), seed);
  }

  private static void nothingIsViolated(SlotSimulation simulation, Object schedule) {
    assertThat(simulation.server().violations()).as("%s", schedule).isEmpty();
  }

  /** A write that is stopped between the guard and the bytes is caught by its version alone. */
  private static SlotSimulation stoppedBeforeTheBytes(SimulationOptions options) {
    SlotSimulation simulation = new SlotSimulation(options, 1);
    List<SimulatedReplica> replicas = settled(simulation, 2);
    SimulatedReplica x = replicas.get(0);
    int[] slot = {0};
    until(
        simulation,
        10_000,
        () -> {
          for (slot[0] = 0; slot[0] < SLOTS; slot[0]++) {
            if (x.attempts().stopBeforeBytes(slot[0], 2 * LEASE)) {
              return true;
            }
          }
          return false;
        });
    x.freeze(2 * LEASE - 1_000);
    simulation.run(2 * LEASE + 60_000);
    return simulation;
  }

  @Test
  void schedule1_aStopBetweenGuardAndBytes_landsWithoutAVersion_andIsRefusedWithOne() {
    SlotSimulation without = stoppedBeforeTheBytes(SimulationOptions.of(SLOTS));
    assertThat(without.server().stale()).isOne();
    SlotSimulation with = stoppedBeforeTheBytes(SimulationOptions.of(SLOTS).withVersions());
    assertThat(with.server().stale()).isZero();
    assertThat(with.server().refused()).isPositive();
  }

  @Test
  void schedule3_aRenewalThatIsStoredLate_beforeOrAfterTheFence_doesNoHarm() {
    int fencedAtOnce = 0;
    int fencedLater = 0;
    for (long late = 8_000; late <= 25_000; late += TestLength.of(1_500, 500)) {
      SlotSimulation simulation = simulation(late);
      List<SimulatedReplica> replicas = settled(simulation, 2);
      SimulatedReplica x = replicas.get(0);
      String identity = x.identity();
      x.delayRenewal(late, true);
      simulation.run(2_100);
      x.cut(60_000);
      long fence = until(simulation, 60_000, () -> simulation.server().fenced().contains(identity));
      fencedAtOnce += fence < LEASE + 4_000 ? 1 : 0;
      fencedLater += fence < LEASE + 4_000 ? 0 : 1;
      settle(simulation);
      nothingIsViolated(simulation, late);
    }
    assertThat(fencedAtOnce).as("after the fence").isPositive();
    assertThat(fencedLater).as("before the fence").isPositive();
  }

  @Test
  void schedule4_aHandOverThatIsStoredAfterTheFence_beforeOrAfterTheTakeover_doesNoHarm() {
    int landed = 0;
    int refused = 0;
    for (long late = 5_000; late <= 30_000; late += TestLength.of(1_500, 500)) {
      SlotSimulation simulation = simulation(late);
      SimulatedReplica x = settled(simulation, 1).getFirst();
      String identity = x.identity();
      simulation.start(1);
      simulation.start(1);
      until(simulation, 60_000, () -> draining(simulation));
      int[] epochs = {sum(simulation)};
      x.delayPut(late, false);
      until(simulation, 60_000, x::hasSentDelayed);
      x.cut(90_000);
      until(
          simulation,
          60_000,
          () -> simulation.server().fenced().contains(identity) || sum(simulation) > epochs[0]);
      boolean before = !simulation.server().fenced().contains(identity);
      landed += before ? 1 : 0;
      refused += before ? 0 : 1;
      simulation.run(60_000);
      settle(simulation);
      nothingIsViolated(simulation, late);
    }
    assertThat(landed).isPositive();
    assertThat(refused).isPositive();
  }

  private static boolean draining(SlotSimulation simulation) {
    return entries(simulation).stream().anyMatch(SlotEntry::isDraining);
  }

  private static int sum(SlotSimulation simulation) {
    return (int) entries(simulation).stream().mapToLong(SlotEntry::epoch).sum();
  }

  @Test
  void schedule5_aHandOverWithoutAnAnswer_andADeadlineThatPasses_loseNoSlot() {
    for (long seed = 1; seed <= TestLength.of(5, 20); seed++) {
      SlotSimulation simulation = simulation(seed);
      SimulatedReplica x = settled(simulation, 1).getFirst();
      simulation.start(1);
      simulation.start(1);
      until(simulation, 60_000, () -> draining(simulation));
      x.delayPut(10, false);
      until(simulation, 60_000, x::hasSentDelayed);
      x.cut(12_000 + 500 * seed);
      simulation.run(60_000);
      settle(simulation);
      nothingIsViolated(simulation, seed);
    }
  }

  /** Returns by how much the changes of owners exceed the minimum. */
  private static int unneededMoves(long seed, long calm) {
    SlotSimulation simulation = new SlotSimulation(SimulationOptions.of(64).calm(calm), seed);
    List<SimulatedReplica> replicas = settled(simulation, 4);
    Map<String, Integer> before = simulation.shares();
    int moves = simulation.server().moves();
    simulation.start();
    simulation.run(400);
    replicas.get(1).crash();
    simulation.run(400);
    simulation.start();
    simulation.run(LEASE + calm + 5_000);
    settle(simulation);
    nothingIsViolated(simulation, seed);
    assertThat(simulation.shares()).hasSize(5).containsValue(13).containsValue(12);
    return simulation.server().moves() - moves - surplus(before, simulation.shares());
  }

  /**
   * A crash is known a Lease duration later. When that is longer than the calm before moves for
   * balance, some slots move for a number of replicas that includes the dead one.
   */
  @Test
  void schedule8_twoJoinsAndACrashWithinASecond_moveTheMinimum() {
    for (long seed = 1; seed <= TestLength.of(3, 10); seed++) {
      assertThat(unneededMoves(seed, LEASE + 5_000)).as("calm for a Lease, %s", seed).isZero();
      assertThat(unneededMoves(seed, 10_000)).as("seed %s", seed).isBetween(0, 4);
    }
  }

  /** A slow clock at the owner and a fast one at the observer; returns 1 at the first overlap. */
  private static int overlaps(double drift) {
    int found = 0;
    for (long seed = 1; seed <= TestLength.of(20, 60) && found == 0; seed++) {
      SlotSimulation simulation = simulation(seed);
      SimulatedReplica x = simulation.start(1 - drift);
      simulation.start(1 + drift);
      settle(simulation);
      simulation.run(30 * seed);
      x.delayWrites(SimulationOptions.TIMES.requestLife() - 1);
      x.loseRenewals(60_000);
      simulation.run(40_000);
      found += simulation.server().violations().isEmpty() ? 0 : 1;
    }
    return found;
  }

  @Test
  void schedule9_clocksThatDriftWithinTheMargin_doNoHarm_andAtTwiceTheMarginTheyOverlap() {
    double margin =
        (double) (SimulationOptions.TIMES.grace() - SimulationOptions.TIMES.requestLife()) / LEASE;
    assertThat(overlaps(margin / 2)).isZero();
    assertThat(overlaps(margin)).isPositive();
  }

  @Test
  void schedule10_afterAnOutageOfThreeLeases_nobodyIsFenced_andNothingMoves() {
    SlotSimulation simulation = simulation(1);
    List<SimulatedReplica> replicas = settled(simulation, 4);
    List<SlotEntry> before = entries(simulation);
    simulation.outage(3 * LEASE);
    for (int i = 0; i < replicas.size(); i++) {
      replicas.get(i).cut(3 * LEASE + 2_000L * i);
    }
    simulation.run(3 * LEASE - 1_000);
    simulation.run(90_000);
    assertThat(simulation.server().fenced()).isEmpty();
    assertThat(entries(simulation)).isEqualTo(before);
    assertThat(simulation.open()).isEqualTo(SLOTS);
    nothingIsViolated(simulation, 10);
  }

  @Test
  void schedule13_aMapThatIsReadAMinuteLate_costsTimeAndNotSafety() {
    for (long seed = 1; seed <= TestLength.of(3, 10); seed++) {
      SlotSimulation simulation = simulation(seed);
      List<SimulatedReplica> replicas = settled(simulation, 3);
      replicas.get((int) seed % 3).planner().lag(60_000);
      simulation.start();
      simulation.run(10_000);
      replicas.get((int) (seed + 1) % 3).crash();
      simulation.run(60_000);
      settle(simulation);
      nothingIsViolated(simulation, seed);
    }
  }

  /** A removed safeguard: lists of the Leases are consistent reads, never served from a cache. */
  @Test
  void schedule14_aStaleListOfLeases_overlaps() {
    SlotSimulation simulation = simulation(1);
    SimulatedReplica planner = settled(simulation, 1).getFirst();
    planner.planner().serveStale();
    simulation.start(1);
    simulation.run(120_000);
    assertThat(simulation.server().stale()).isPositive();
  }

  @Test
  void schedule20_flappingWeights_andAReplicaThatDiesAgainAndAgain_moveFewSlots() {
    SlotSimulation simulation = simulation(1);
    List<SimulatedReplica> replicas = settled(simulation, 3);
    int moves = simulation.server().moves();
    SimulatedReplica dying = simulation.start();
    int minutes = 10;
    for (int second = 0; second < 60 * minutes; second++) {
      replicas.getFirst().weight(99 + second % 2);
      if (second % 12 == 11) {
        dying.crash();
        dying = simulation.start();
      }
      simulation.run(1_000);
    }
    assertThat(simulation.server().moves() - moves).isLessThan(minutes * SLOTS);
    nothingIsViolated(simulation, 20);
  }

  /** The clock of the owner stands still with it, so it does not stop: outside the assumptions. */
  private static SlotSimulation pausedMachine(SimulationOptions options) {
    SlotSimulation simulation = new SlotSimulation(options, 3);
    SimulatedReplica x = settled(simulation, 2).getFirst();
    x.pause(2 * LEASE);
    simulation.run(2 * LEASE + 60_000);
    return simulation;
  }

  @Test
  void schedule25_aPausedMachineWhoseClockStandsStill_isOutsideI1_andVersionsSaveTheObject() {
    assertThat(pausedMachine(SimulationOptions.of(SLOTS)).server().older()).isPositive();
    assertThat(pausedMachine(SimulationOptions.of(SLOTS).withVersions()).server().refused())
        .isPositive();
  }
}
