// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import java.util.OptionalInt;

/**
 * A read that a filtered cache cannot answer: of an object whose slot this replica does not keep, or
 * of all objects. An empty answer would be wrong, and would make a reconciler create or delete.
 *
 * <p>Thread rule: immutable.
 */
public final class ForeignObjectException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  private static final int NO_SLOT = -1;

  private final int slot;

  private ForeignObjectException(int slot, String message) {
    super(message);
    this.slot = slot;
  }

  /** Creates the exception for one object. */
  public static ForeignObjectException of(Object cache, Object key, int slot) {
    return new ForeignObjectException(
        slot,
        "the cache of %s does not hold %s: it is in slot %s, which this replica does not hold. Declare"
                .formatted(cache, key, slot)
            + " the source full(), or read it with resource()");
  }

  /** Creates the exception for a list. */
  public static ForeignObjectException ofList(Object cache) {
    return new ForeignObjectException(
        NO_SLOT,
        "the cache of %s holds the objects of some slots, so a list of it would be incomplete. Read"
                .formatted(cache)
            + " owned() for those, or declare the source full()");
  }

  /** Returns the slot of the object; empty for a list. */
  public OptionalInt slot() {
    return slot == NO_SLOT ? OptionalInt.empty() : OptionalInt.of(slot);
  }
}
