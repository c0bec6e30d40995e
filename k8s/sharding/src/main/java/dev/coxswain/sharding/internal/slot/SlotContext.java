// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.util.Optional;
import java.util.Set;

/**
 * The input of one step of {@link ReplicaSlots}.
 *
 * @param lease the own Lease
 * @param map the newest version of the map that was read; empty for none, or when the map was
 *     deleted: a replica needs the map to start and never to stop
 * @param problem why the map cannot be used, such as an unknown function; empty for none
 * @param activity what runs in the slots
 * @param unavailable replicas that ended or leave
 * @param warm slots whose target has loaded what it needs
 * @param loading slots whose target reports that it is still loading
 * @param leaving whether the replica is to end
 * @param mapSince when this version of the map arrived, on the monotonic clock
 */
public record SlotContext(
    Lease lease,
    Optional<StoredSlotMap> map,
    String problem,
    SlotActivity activity,
    Set<String> unavailable,
    Set<Integer> warm,
    Set<Integer> loading,
    boolean leaving,
    long mapSince) {

  /**
   * The own Lease.
   *
   * @param identity the present identity; another one means that the earlier one has ended
   * @param held whether the Lease names it, as far as this replica has read
   * @param writeDeadline until when it may write, {@link SlotTimes#writeDeadline}
   * @param announced the uid of a map in the Lease, as last stored under this identity
   * @param announcedAt when the response to the first renewal with it was received
   */
  public record Lease(
      String identity, boolean held, long writeDeadline, String announced, long announcedAt) {}
}
