// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.slot.MoveTimes;
import dev.coxswain.sharding.internal.slot.SlotTimes;
import dev.coxswain.sharding.internal.slot.search.Safeguard;
import java.util.Set;

/**
 * The options of a simulation. Times are in milliseconds.
 *
 * @param drift how far the rate of a clock may be from that of the server, as a part
 * @param versioned whether objects are written with the version that the attempt has read
 * @param calm how long the replicas must be the same before slots move for balance
 * @param removed the safeguards that are left out
 */
record SimulationOptions(
    int slots, double drift, boolean versioned, long calm, Set<Safeguard> removed) {

  static final long PERIOD = 2_000;
  static final SlotTimes TIMES = new SlotTimes(15_000, 5_000, 4_000, 1_000, 0);

  static SimulationOptions of(int slots) {
    return new SimulationOptions(slots, 0.025, false, 10_000, Set.of());
  }

  SimulationOptions calm(long time) {
    return new SimulationOptions(slots, drift, versioned, time, removed);
  }

  SimulationOptions withVersions() {
    return new SimulationOptions(slots, drift, true, calm, removed);
  }

  SimulationOptions without(Safeguard safeguard) {
    return new SimulationOptions(slots, drift, versioned, calm, Set.of(safeguard));
  }

  MoveTimes moves() {
    return new MoveTimes(calm, 60_000, 1_000, 1_000, 30_000, 20_000);
  }

  boolean has(Safeguard safeguard) {
    return !removed.contains(safeguard);
  }

  long gap() {
    return has(Safeguard.GAP) ? 2 * PERIOD : Long.MAX_VALUE / 4;
  }
}
