// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.selection;

import dev.coxswain.k8s.internal.slots.NamespaceFilter;
import java.util.BitSet;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a watch is opened for. What the server sends is filtered here in any case, so that a selection may be too wide.
 *
 * <p>Thread rule: immutable.
 *
 * @param slots all objects of these slots; not to be changed
 * @param namespaces the namespaces of these slots, as far as they are known
 * @param ranges these namespaces, and perhaps others; null for everything
 */
record Selection(BitSet slots, Set<String> namespaces, @Nullable ShardRanges ranges) {

  /** Everything. */
  static final Selection ALL = new Selection(new BitSet(), Set.of(), null);

  /** The share of the namespaces from which everything is watched. */
  private static final double NEARLY_ALL = 0.8;

  /**
   * Returns what to ask for.
   *
   * @param needed in which namespaces the objects of the kept slots are
   * @param known the namespaces that exist
   * @param more namespaces that are to be selected whether they exist or not, if they are needed
   */
  static Selection of(NamespaceFilter needed, Collection<String> known, Collection<String> more) {
    Set<String> wanted = new TreeSet<>();
    Set<String> others = new TreeSet<>();
    known.forEach(name -> (needed.has(name) ? wanted : others).add(name));
    if (wanted.size() >= NEARLY_ALL * (wanted.size() + others.size())) {
      return ALL;
    }
    more.stream().filter(needed::has).forEach(wanted::add);
    return new Selection(needed.slots(), wanted, ShardRanges.of(wanted, others));
  }

  boolean isAll() {
    return ranges == null;
  }

  /** Returns the same without slots: of their namespaces it may have only some from now on. */
  Selection without(BitSet released) {
    if (isAll()) {
      return this;
    }
    BitSet rest = (BitSet) slots.clone();
    rest.andNot(released);
    return new Selection(rest, namespaces, ranges);
  }

  boolean hasSlots(BitSet some) {
    return isAll() || some.stream().allMatch(slots::get);
  }

  /** Returns whether the objects of a namespace are selected for as long as this is followed by others that have it. */
  boolean hasNamespace(String namespace) {
    return isAll() || namespaces.contains(namespace);
  }
}
