// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import dev.coxswain.k8s.cache.ObjectKeys;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * In which namespaces the objects of some slots are.
 *
 * <p>Thread rule: immutable.
 */
public final class NamespaceFilter {

  /** They may be in all namespaces, or in none. */
  public static final NamespaceFilter ALL = new NamespaceFilter(null, new BitSet());

  private final @Nullable SlotSet slots;
  private final BitSet some;

  private NamespaceFilter(@Nullable SlotSet slots, BitSet some) {
    this.slots = slots;
    this.some = some;
  }

  /** Returns the namespaces of some slots if they have their own and no mapping leads to the slot of another one. */
  static NamespaceFilter of(@Nullable SlotSet slots, BitSet some, List<ObjectKeys> mappings) {
    return slots != null
            && slots.isByNamespace()
            && mappings.stream().allMatch(ObjectKeys::staysInNamespace)
        ? new NamespaceFilter(slots, some)
        : ALL;
  }

  /** Returns whether all namespaces have to be read. */
  public boolean isAll() {
    return slots == null;
  }

  /** Returns the slots; not to be changed. */
  public BitSet slots() {
    return some;
  }

  /** Returns whether the objects of a namespace may be in the slots. */
  public boolean has(String namespace) {
    return slots == null || slots.hasNamespace(some, namespace);
  }
}
