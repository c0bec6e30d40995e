// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.view;

import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The slots as this replica has observed them.
 *
 * <p>Thread rule: immutable.
 *
 * @param own the slots of this replica
 * @param replicas the last list of the replicas, or null before the first
 * @param map the newest version of the map that was read
 * @param shares the replicas as they publish themselves
 * @param statistics figures for metrics
 * @param problem why no slots are owned or moved; empty for no problem
 * @param rejected why this replica does not accept the slot map, and what to do; empty when it does
 */
public record SlotView(
    ReplicaSlots own,
    @Nullable SlotReplicas replicas,
    Optional<StoredSlotMap> map,
    List<Share> shares,
    SlotStatistics statistics,
    String problem,
    String rejected) {

  /**
   * The share of a replica.
   *
   * @param drained whether its weight is 0 because it was drained
   */
  public record Share(String identity, int weight, boolean drained, boolean leaving) {}

  public SlotView {
    shares = List.copyOf(shares);
  }

  /** Before the first pass. */
  public static final SlotView NONE =
      new SlotView(
          ReplicaSlots.NONE, null, Optional.empty(), List.of(), SlotStatistics.NONE, "", "");
}
