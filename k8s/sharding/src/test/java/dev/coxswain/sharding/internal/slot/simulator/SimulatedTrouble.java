// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import java.util.List;

/** Faults at random times. */
final class SimulatedTrouble {

  private static final int FEWEST = 3;

  private final SlotSimulation simulation;
  private final long end;
  private final int most;
  private long deleted = Long.MIN_VALUE / 2;

  SimulatedTrouble(SlotSimulation simulation, long end, int most) {
    this.simulation = simulation;
    this.end = end;
    this.most = most;
  }

  void next() {
    simulation.after(
        simulation.between(1_000, 30_000),
        () -> {
          if (simulation.now() < end) {
            fault();
            next();
          }
        });
  }

  private void fault() {
    List<SimulatedReplica> alive = simulation.alive();
    if (alive.size() < FEWEST) {
      simulation.start();
      return;
    }
    SimulatedReplica one = alive.get(simulation.random().nextInt(alive.size()));
    switch (simulation.random().nextInt(23)) {
      case 0, 1, 2, 3, 4 -> one.freeze(simulation.between(500, 40_000));
      case 5, 6, 7, 8 -> one.cut(simulation.between(500, 40_000));
      case 9, 10 -> {
        one.crash();
        simulation.after(simulation.between(0, 20_000), simulation::start);
      }
      case 11, 12 -> {
        // A roll-out of one pod.
        if (alive.size() < most) {
          simulation.start();
        }
        one.leave();
      }
      case 13, 14 -> {
        if (alive.size() < most) {
          simulation.start();
        }
      }
      case 15 -> one.leave();
      case 16 -> delete(() -> simulation.server().deleteLease(one.ordinal()));
      case 17 -> delete(simulation.server()::deleteMap);
      case 18 -> simulation.outage(simulation.between(500, 10_000));
      case 19, 20 -> one.loseRenewals(simulation.between(500, 40_000));
      case 21 -> one.planner().lag(simulation.between(500, 60_000));
      default -> {
        if (simulation.chance(0.2)) {
          simulation.outage(3 * SimulationOptions.TIMES.leaseDuration());
        }
      }
    }
  }

  /** The map and a Lease deleted shortly after each other are outside the assumptions. */
  private void delete(Runnable deletion) {
    if (simulation.now() - deleted > 10 * SimulationOptions.TIMES.leaseDuration()) {
      deleted = simulation.now();
      deletion.run();
    }
  }
}
