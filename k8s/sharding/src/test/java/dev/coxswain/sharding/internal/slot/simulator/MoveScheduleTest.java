// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.entries;
import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.settle;
import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.settled;
import static dev.coxswain.sharding.internal.slot.simulator.SimulationFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.search.Safeguard;
import dev.coxswain.testing.TestLength;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The numbered schedules of the protocol in which a source or a target ends during a move, or an
 * attempt does not end.
 */
class MoveScheduleTest {

  private static final int SLOTS = 16;
  private static final int SEEDS = TestLength.of(2, 10);
  private static final long LEASE = SimulationOptions.TIMES.leaseDuration();
  private static final SimulationOptions OPTIONS = SimulationOptions.of(SLOTS);

  /** When an owner whose attempts do not end keeps its slot, a little later than its limit. */
  private static final long KEPT = OPTIONS.moves().close() + OPTIONS.moves().prepare() + 2_000;

  private static void nothingIsViolated(SlotSimulation simulation, Object schedule) {
    assertThat(simulation.server().violations()).as("seed %s", schedule).isEmpty();
  }

  private static List<Integer> draining(SlotSimulation simulation) {
    return slots(simulation, SlotEntry::isDraining);
  }

  private static List<Integer> slots(
      SlotSimulation simulation, java.util.function.Predicate<SlotEntry> condition) {
    List<SlotEntry> entries = entries(simulation);
    List<Integer> slots = new ArrayList<>();
    for (int slot = 0; slot < entries.size(); slot++) {
      if (condition.test(entries.get(slot))) {
        slots.add(slot);
      }
    }
    return slots;
  }

  /** Schedule 6. The attempts of the source go on, so that the target ends before the move does. */
  @Test
  void schedule6_aTargetThatIsKilledWhileItsSourceDrains_isGivenUp_andAnotherOneReceivesTheSlot() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      SlotSimulation simulation = new SlotSimulation(OPTIONS, seed);
      SimulatedReplica source = settled(simulation, 1).getFirst();
      source.attempts().endless(true);
      SimulatedReplica target = simulation.start(1);
      until(simulation, 60_000, () -> !draining(simulation).isEmpty());
      List<Integer> slots = draining(simulation);
      List<SlotEntry> before = entries(simulation);
      target.crash();
      until(simulation, LEASE + 5_000, () -> draining(simulation).isEmpty());
      for (int slot : slots) {
        assertThat(entries(simulation).get(slot))
            .as("kept in its epoch, seed %s", seed)
            .isEqualTo(new SlotEntry(source.identity(), before.get(slot).epoch(), ""));
      }
      source.attempts().endless(false);
      SimulatedReplica other = simulation.start(1);
      settle(simulation);
      assertThat(simulation.shares()).as("seed %s", seed).containsEntry(other.identity(), 8);
      nothingIsViolated(simulation, seed);
    }
  }

  /** Schedule 7, its second part; the first needs the state that moves with a slot. */
  @Test
  void schedule7_aSourceThatIsKilledBetweenTheHandOverAndItsAnswer_losesNoSlot() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      SlotSimulation simulation = new SlotSimulation(OPTIONS, seed);
      SimulatedReplica source = settled(simulation, 1).getFirst();
      String identity = source.identity();
      SimulatedReplica target = simulation.start(1);
      until(simulation, 60_000, () -> !draining(simulation).isEmpty());
      int moves = simulation.server().moves();
      source.delayPut(20, false);
      until(simulation, 60_000, source::hasSentDelayed);
      until(simulation, 1_000, () -> simulation.server().moves() > moves);
      int handedOver = slots(simulation, entry -> !entry.owner().equals(identity)).size();
      source.crash();
      long opened = until(simulation, 5_000, () -> target.open() == handedOver);
      assertThat(opened).as("without waiting for the Lease, seed %s", seed).isLessThan(2_000);
      until(simulation, LEASE + 10_000, () -> target.open() == SLOTS);
      nothingIsViolated(simulation, seed);
    }
  }

  /** An attempt of the first term runs on through the second, of another replica, into the third. */
  private static SlotSimulation anAttemptOfTheFirstTerm(SimulationOptions options, long seed) {
    SlotSimulation simulation = new SlotSimulation(options, seed);
    List<SimulatedReplica> replicas = settled(simulation, 2);
    SimulatedReplica x = replicas.get(0);
    SimulatedReplica y = replicas.get(1);
    x.attempts().endless(true);
    simulation.run(500);
    x.loseRenewals(LEASE + 8_000);
    until(simulation, 2 * LEASE, () -> y.open() == SLOTS);
    y.crash();
    until(simulation, 3 * LEASE, () -> x.open() == SLOTS);
    simulation.run(30_000);
    assertThat(x.attempts().refusals()).as("seed %s", seed).isPositive();
    return simulation;
  }

  /** Schedule 12. A controller that one replica runs is the same with its only slot. */
  @Test
  void schedule12_anAbandonedAttemptOfTheFirstTerm_writesNothingInTheThirdOfTheSameReplica() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      nothingIsViolated(anAttemptOfTheFirstTerm(OPTIONS, seed), seed);
    }
    assertThat(
            anAttemptOfTheFirstTerm(OPTIONS.without(Safeguard.GUARD_PER_ATTEMPT), 1)
                .server()
                .stale())
        .as("with one guard for the replica")
        .isPositive();
  }

  /**
   * A replica whose Leases and map are served by an API server that is cut from its store, and whose
   * writes of objects reach another one.
   */
  private static SlotSimulation anApiServerThatIsCut(SimulationOptions options, long seed) {
    SlotSimulation simulation = new SlotSimulation(options, seed);
    List<SimulatedReplica> replicas = settled(simulation, 3);
    SimulatedReplica x = replicas.getFirst(); // it has planned so far
    String identity = x.identity();
    x.loseRenewals(3 * LEASE);
    x.planner().serveOldMap(5 * LEASE); // the watch is not closed when the cut ends
    simulation.run(3 * LEASE);
    if (options.removed().isEmpty()) {
      assertThat(simulation.server().fenced()).as("seed %s", seed).containsExactly(identity);
      assertThat(replicas.get(1).open() + replicas.get(2).open())
          .as("open at the others, seed %s", seed)
          .isEqualTo(SLOTS);
    }
    simulation.run(2 * LEASE - 100);
    assertThat(x.open()).as("opened on an old map, seed %s", seed).isZero();
    settle(simulation);
    return simulation;
  }

  /** Schedule 15. */
  @Test
  void schedule15_aReplicaAtAnApiServerThatIsCutFromItsStore_stopsByItself_andOpensNothingOld() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      SlotSimulation simulation = anApiServerThatIsCut(OPTIONS, seed);
      nothingIsViolated(simulation, seed);
      assertThat(simulation.shares()).as("seed %s", seed).hasSize(3);
    }
    assertThat(anApiServerThatIsCut(OPTIONS.without(Safeguard.GUARD_OF_WRITES), 1).server().stale())
        .as("without the deadline before each write")
        .isPositive();
  }

  /** A source whose attempts never end, after it has kept a slot that was to move. */
  private static SimulatedReplica anAttemptThatNeverEnds(SlotSimulation simulation) {
    SimulatedReplica source = settled(simulation, 1).getFirst();
    source.attempts().endless(true);
    simulation.start(1);
    until(simulation, 60_000, () -> !draining(simulation).isEmpty());
    List<Integer> slots = draining(simulation);
    List<SlotEntry> before = entries(simulation);
    until(
        simulation,
        KEPT,
        () -> slots.stream().noneMatch(slot -> entries(simulation).get(slot).isDraining()));
    for (int slot : slots) {
      assertThat(entries(simulation).get(slot))
          .as("kept in its epoch")
          .isEqualTo(new SlotEntry(source.identity(), before.get(slot).epoch(), ""));
    }
    return source;
  }

  /** Schedule 19, with SIGTERM: the slots are free when its time to leave is over. */
  @Test
  void schedule19_anAttemptThatIgnoresItsEnd_keepsItsSlot_untilItsReplicaIsToldToStop() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      SlotSimulation simulation = new SlotSimulation(OPTIONS, seed);
      SimulatedReplica source = anAttemptThatNeverEnds(simulation);
      String identity = source.identity();
      source.leave();
      long left =
          until(
              simulation,
              60_000,
              () -> slots(simulation, entry -> entry.owner().equals(identity)).isEmpty());
      assertThat(left)
          .as("no wait for the Lease, seed %s", seed)
          .isBetween(
              OPTIONS.moves().leave(),
              OPTIONS.moves().leave() + SimulationOptions.TIMES.requestLife() + 6_000);
      assertThat(source.attempts().refusals()).as("seed %s", seed).isPositive();
      assertThat(simulation.server().fenced()).as("seed %s", seed).isEmpty();
      settle(simulation);
      nothingIsViolated(simulation, seed);
    }
  }

  /** Schedule 19, with SIGKILL during that: the slots are free when its Lease has expired. */
  @Test
  void schedule19_anAttemptThatIgnoresItsEnd_andAKillWhileItsReplicaStops_loseNoSlot() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      SlotSimulation simulation = new SlotSimulation(OPTIONS, seed);
      SimulatedReplica source = anAttemptThatNeverEnds(simulation);
      String identity = source.identity();
      source.leave();
      simulation.run(1_000 * seed);
      source.crash();
      until(
          simulation,
          LEASE + 10_000,
          () -> slots(simulation, entry -> entry.owner().equals(identity)).isEmpty());
      assertThat(simulation.server().fenced()).as("seed %s", seed).containsExactly(identity);
      settle(simulation);
      nothingIsViolated(simulation, seed);
    }
  }
}
