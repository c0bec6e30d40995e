// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.spi.SlotTerm;
import java.time.Duration;

/**
 * The ownership of one slot by one identity of this replica. It ends for good when the slot is
 * handed over or revoked, and permits nothing while the Lease of the identity may not be acted on.
 */
final class OwnedTerm implements SlotTerm {

  private final int slot;
  private final long slotEpoch;
  private final long epoch;
  private final String identity;
  private final ReplicaMembership membership;
  private volatile boolean ended;

  /**
   * Begins an ownership.
   *
   * @param slotEpoch the epoch in the slot map
   * @param version the resource version of the map that gave the slot to this replica, or a later one
   */
  OwnedTerm(int slot, long slotEpoch, long version, String identity, ReplicaMembership membership) {
    this.slot = slot;
    this.slotEpoch = slotEpoch;
    // What the former owner had observed is older than the write that ended its ownership. The
    // epoch of the map is higher only when the store has been restored from a backup.
    this.epoch = Math.max(slotEpoch, version);
    this.identity = identity;
    this.membership = membership;
  }

  @Override
  public int slot() {
    return slot;
  }

  /** Returns the epoch in the slot map. */
  long slotEpoch() {
    return slotEpoch;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public Duration timeLeft() {
    return ended ? Duration.ZERO : membership.timeLeft(identity);
  }

  /** Ends the ownership; from now on no write begins under it. */
  void end() {
    ended = true;
  }
}
