// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * What decides about the slot of a request. It is stored in the slot map and the same for all replicas.
 *
 * <p>Thread rule: immutable.
 */
public enum SlotDivision {
  /** Namespace and name: even, whatever the namespaces are. */
  KEY(SlotFunction.NAME),

  /**
   * The namespace: all its requests are in one slot, so that a replica can read only the namespaces of its slots. One
   * without a namespace has the slot of its name.
   */
  NAMESPACE(SlotFunction.NAME_BY_NAMESPACE);

  private final String function;

  SlotDivision(String function) {
    this.function = function;
  }

  /** Returns the division of the name of a function in a slot map. */
  static Optional<SlotDivision> ofFunction(String name) {
    return Stream.of(values()).filter(each -> each.function.equals(name)).findFirst();
  }

  /** Returns the name of the function in the slot map. */
  public String function() {
    return function;
  }

  /** Returns the name in the configuration. */
  public String label() {
    return this == KEY ? "key" : "namespace";
  }

  /**
   * Returns the slot of a request, from 0.
   *
   * @param namespace empty for none
   * @param slots the number of slots, a power of two up to {@link SlotFunction#MAX_SLOTS}
   */
  public int slot(String namespace, String name, int slots) {
    return this == KEY || namespace.isEmpty()
        ? SlotFunction.slot(namespace, name, slots)
        : SlotFunction.slotOfNamespace(namespace, slots);
  }
}
