// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.HeldSlot;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.view.SlotStatistics;
import dev.coxswain.sharding.internal.view.SlotStatistics.Move;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens to slots.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class SlotCounters {

  private final Map<Move, Long> moves = new EnumMap<>(Move.class);
  private final Map<Integer, Long> unownedSince = new HashMap<>();

  /** The last map in which each slot has been counted. */
  private @Nullable SlotMap before;

  /** The slots that another identity had before this one. */
  private final Set<Integer> taken = new HashSet<>();

  /** Counts a slot that this replica opens; a slot that it kept is no move. */
  void opened(int slot, long epoch, ReplicaSlots was) {
    HeldSlot held = was.held().get(slot);
    if (held != null && held.stage() != Stage.INCOMING && held.epoch() == epoch) {
      return;
    }
    boolean incoming = held != null && held.stage() == Stage.INCOMING;
    SlotMap last = was.followed().last().map(StoredSlotMap::map).orElse(before);
    boolean free = last == null || slot >= last.slots() || wasFree(slot, last, was.identity());
    Move move = incoming ? Move.HANDED_OVER : free ? Move.ASSIGNED : Move.TAKEN_OVER;
    moves.merge(move, 1L, Long::sum);
  }

  /**
   * Returns whether a slot was free before this replica got it. It may have read the map that names it some
   * time before it opens the slot, such as before its Lease had the uid of the map.
   */
  private boolean wasFree(int slot, SlotMap last, String self) {
    SlotEntry entry = last.entry(slot);
    return entry.owner().equals(self) ? !taken.contains(slot) : entry.isFree();
  }

  /** Returns the figures of now. */
  SlotStatistics statistics(
      @Nullable SlotMap map, @Nullable SlotReplicas replicas, ReplicaSlots own, long now) {
    if (map == null) {
      return SlotStatistics.NONE;
    }
    before = map;
    long longest = 0;
    Set<String> live = new HashSet<>();
    if (replicas != null) {
      replicas.live().forEach(replica -> live.add(replica.identity()));
    }
    for (int slot = 0; slot < map.slots(); slot++) {
      SlotEntry entry = map.entry(slot);
      if (entry.isFree()) {
        taken.remove(slot);
      } else if (!entry.owner().equals(own.identity())) {
        taken.add(slot);
      }
      if (replicas == null || live.contains(entry.owner())) {
        unownedSince.remove(slot);
      } else {
        longest = Math.max(longest, now - unownedSince.computeIfAbsent(slot, _ -> now));
      }
    }
    return SlotStatistics.of(map, own.held().values(), moves, longest);
  }
}
