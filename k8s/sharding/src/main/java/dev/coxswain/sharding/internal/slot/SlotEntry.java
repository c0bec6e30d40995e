// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/**
 * The stored state of one slot: free, owned, or draining from its owner to a target. Each change of
 * the owner increments the epoch.
 *
 * <p>Thread rule: immutable.
 *
 * @param owner the identity of the owner, empty for a free slot
 * @param epoch the epoch of the owner; of a free slot, the one that its first owner exceeds
 * @param target the identity of the next owner while the slot is draining, else empty
 */
public record SlotEntry(String owner, long epoch, String target) {

  public SlotEntry {
    if (epoch < 0) {
      throw new IllegalArgumentException("the epoch of a slot must not be negative: " + epoch);
    }
    if (!target.isEmpty() && (owner.isEmpty() || owner.equals(target))) {
      throw new IllegalArgumentException(
          "a draining slot needs an owner, and another replica as target: " + target);
    }
  }

  /** Returns a slot without an owner. */
  public static SlotEntry free(long epoch) {
    return new SlotEntry("", epoch, "");
  }

  /** Returns a slot with an owner that keeps it. */
  public static SlotEntry owned(String owner, long epoch) {
    return new SlotEntry(owner, epoch, "");
  }

  /** Returns whether the slot has no owner. */
  public boolean isFree() {
    return owner.isEmpty();
  }

  /** Returns whether the owner is to hand the slot over. */
  public boolean isDraining() {
    return !target.isEmpty();
  }

  /** Returns whether the slot has this owner, draining or not. */
  public boolean isOwnedBy(String identity) {
    return !identity.isEmpty() && owner.equals(identity);
  }

  /** Returns the replica that has the slot when no further change is made; empty for none. */
  public String finalOwner() {
    return isDraining() ? target : owner;
  }

  @Override
  public String toString() {
    return (isFree() ? "free" : owner) + ":" + epoch + (isDraining() ? ">" + target : "");
  }
}
