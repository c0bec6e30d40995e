// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.slots;

import dev.coxswain.host.membership.ReplicaMembership;
import dev.coxswain.spi.SlotTerm;
import java.time.Duration;

/**
 * The ownership of one slot by one identity of this replica. It ends for good when the slot is
 * handed over or revoked, and permits nothing while the Lease of the identity may not be acted on.
 */
final class OwnedTerm implements SlotTerm {

  private final int slot;
  private final long epoch;
  private final String identity;
  private final ReplicaMembership membership;
  private volatile boolean ended;

  OwnedTerm(int slot, long epoch, String identity, ReplicaMembership membership) {
    this.slot = slot;
    this.epoch = epoch;
    this.identity = identity;
    this.membership = membership;
  }

  @Override
  public int slot() {
    return slot;
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
