// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.view;

import dev.coxswain.sharding.internal.slot.ReplicaSlots.HeldSlot;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;

/**
 * Figures about slots, for metrics.
 *
 * <p>Thread rule: immutable.
 *
 * @param free slots without an owner, by the map
 * @param owned slots with an owner that keeps them
 * @param draining slots that are being handed over
 * @param held slots of this replica by stage
 * @param moves how often this replica became the owner of a slot, by reason
 * @param unownedNanos the longest time for which a slot has had no live owner; 0 when each has one
 */
public record SlotStatistics(
    int free,
    int owned,
    int draining,
    Map<Stage, Integer> held,
    Map<Move, Long> moves,
    long unownedNanos) {

  /** Why this replica became the owner of a slot. */
  public enum Move {
    /** The slot had no owner. */
    ASSIGNED,
    /** The owner handed it over. */
    HANDED_OVER,
    /** The owner had ended. */
    TAKEN_OVER
  }

  /** Before the first pass. */
  public static final SlotStatistics NONE = new SlotStatistics(0, 0, 0, Map.of(), Map.of(), 0);

  public SlotStatistics {
    held = Map.copyOf(held);
    moves = Map.copyOf(moves);
  }

  /** Returns the figures of a map and of the slots of this replica. */
  public static SlotStatistics of(
      SlotMap map, Collection<HeldSlot> own, Map<Move, Long> moves, long unownedNanos) {
    int free = 0;
    int draining = 0;
    for (SlotEntry entry : map.entries()) {
      free += entry.isFree() ? 1 : 0;
      draining += entry.isDraining() ? 1 : 0;
    }
    Map<Stage, Integer> held = new EnumMap<>(Stage.class);
    own.forEach(one -> held.merge(one.stage(), 1, Integer::sum));
    return new SlotStatistics(
        free, map.slots() - free - draining, draining, held, moves, unownedNanos);
  }
}
