// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.slot.SlotEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Replicas that share the slots, before something happens to them. */
final class SimulationFixture {

  private static final long PATIENCE = 120_000;

  private SimulationFixture() {}

  /** Starts replicas with exact clocks, and waits until all slots are open. */
  static List<SimulatedReplica> settled(SlotSimulation simulation, int count) {
    List<SimulatedReplica> replicas = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      replicas.add(simulation.start(1));
    }
    settle(simulation);
    return replicas;
  }

  /** Waits until all slots are open at owners with the same shares for a while. */
  static void settle(SlotSimulation simulation) {
    Map<String, Integer> before = Map.of();
    for (long waited = 0; waited < PATIENCE; waited += 15_000) {
      simulation.run(15_000);
      boolean open = simulation.open() == simulation.options().slots();
      if (open && simulation.shares().equals(before)) {
        return;
      }
      before = simulation.shares();
    }
    throw new AssertionError(
        "not all slots are open after " + PATIENCE + " ms: " + simulation.shares());
  }

  /** Runs until a condition holds; returns how long it took. */
  static long until(
      SlotSimulation simulation, long most, java.util.function.BooleanSupplier condition) {
    long begun = simulation.now();
    while (!condition.getAsBoolean()) {
      if (simulation.now() - begun > most) {
        throw new AssertionError("not within " + most + " ms: " + simulation.shares());
      }
      simulation.run(10);
    }
    return simulation.now() - begun;
  }

  static List<SlotEntry> entries(SlotSimulation simulation) {
    return simulation.server().map().orElseThrow().map().entries();
  }

  /** How many changes of owners are needed at least from one map to another. */
  static int surplus(Map<String, Integer> before, Map<String, Integer> after) {
    return before.entrySet().stream()
        .mapToInt(entry -> Math.max(0, entry.getValue() - after.getOrDefault(entry.getKey(), 0)))
        .sum();
  }
}
