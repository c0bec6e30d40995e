// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.MoveTimes;
import dev.coxswain.sharding.internal.slot.SlotTimes;
import java.util.Set;

/**
 * What one search explores.
 *
 * @param replicas the number of replicas
 * @param slots the number of slots
 * @param asynchronous whether each replica may be silent at any time, which costs no fault
 * @param kinds the faults that may happen
 * @param faults how many may happen
 * @param drains whether any slot may be drained to any live replica at any time
 * @param removed the safeguards that the model leaves out
 * @param reduced whether states are equal that {@link Reduction} shows to lead to the same
 *     violations
 */
record SearchOptions(
    int replicas,
    int slots,
    boolean asynchronous,
    Set<Fault> kinds,
    int faults,
    boolean drains,
    Set<Safeguard> removed,
    boolean reduced) {

  /**
   * A Lease lasts 4 units, and its holder acts for 2 of them; a write has its effect in less than 2.
   */
  static final SlotTimes TIMES = new SlotTimes(4, 2, 2, 0, 0);

  /** No pauses: the planner moves slots whenever it may, and targets are warm at once. */
  static final MoveTimes MOVES = new MoveTimes(0, 0, 0, 0, 1, 1);

  /** Lists further apart do not count as a continuous observation. */
  static final int GAP = 1;

  static SearchOptions of(int replicas, int slots) {
    return new SearchOptions(replicas, slots, false, Set.of(), 0, false, Set.of(), false);
  }

  SearchOptions anySilence() {
    return new SearchOptions(replicas, slots, true, kinds, faults, drains, removed, reduced);
  }

  SearchOptions faults(int most, Fault... some) {
    return new SearchOptions(
        replicas, slots, asynchronous, Set.of(some), most, drains, removed, reduced);
  }

  SearchOptions anyDrain() {
    return new SearchOptions(replicas, slots, asynchronous, kinds, faults, true, removed, reduced);
  }

  SearchOptions without(Safeguard safeguard) {
    return new SearchOptions(
        replicas, slots, asynchronous, kinds, faults, drains, Set.of(safeguard), reduced);
  }

  SearchOptions reduce() {
    return new SearchOptions(replicas, slots, asynchronous, kinds, faults, drains, removed, true);
  }

  /** Returns the longest time without a list that does not matter. */
  long gap() {
    return has(Safeguard.GAP) ? GAP : 2 * TIMES.leaseDuration();
  }

  /**
   * Returns whether attempts run in a slot. With several slots they run in the first; that a replica
   * may start one is examined in all.
   */
  boolean runs(int slot) {
    return slot == 0;
  }

  boolean has(Safeguard safeguard) {
    return !removed.contains(safeguard);
  }
}
