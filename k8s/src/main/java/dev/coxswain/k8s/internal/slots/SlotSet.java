// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Slots;
import java.util.BitSet;
import java.util.Collection;

/**
 * The slots that this process keeps.
 *
 * <p>Thread rule: any thread; one at a time changes it.
 */
public final class SlotSet {

  private final Slots slots;

  /** Replaced, never changed. */
  private volatile BitSet now = new BitSet();

  public SlotSet(Slots slots) {
    this.slots = slots;
  }

  /** Returns the kept slots, which the caller must not change. */
  public BitSet now() {
    return now;
  }

  public int slotOf(Request request) {
    return slots.slotOf(request.namespace(), request.name());
  }

  /** Returns whether a namespace decides about the slot of its requests. */
  public boolean isByNamespace() {
    return slots.slotOfNamespace("default").isPresent();
  }

  /** Returns whether the requests of a namespace are in one of some slots; slots are by namespace. */
  boolean hasNamespace(BitSet some, String namespace) {
    return some.get(slots.slotOfNamespace(namespace).orElseThrow());
  }

  public void add(BitSet more) {
    now = with(now, more);
  }

  public void remove(BitSet some) {
    now = without(now, some);
  }

  /**
   * Returns slots as a set.
   *
   * @throws IndexOutOfBoundsException when there is no such slot
   */
  public BitSet of(Collection<Integer> which) {
    BitSet set = new BitSet();
    for (int slot : which) {
      if (slot >= slots.count()) {
        throw new IndexOutOfBoundsException("there is no slot " + slot + " of " + slots.count());
      }
      set.set(slot);
    }
    return set;
  }

  static BitSet without(BitSet some, BitSet slots) {
    BitSet rest = (BitSet) some.clone();
    rest.andNot(slots);
    return rest;
  }

  static BitSet with(BitSet some, BitSet slots) {
    BitSet all = (BitSet) some.clone();
    all.or(slots);
    return all;
  }
}
