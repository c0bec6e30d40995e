// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator.cache;

/** How the server selects, and which rule of the cache is left out. */
public enum CacheVariant {
  /** The server selects, and all rules are kept. */
  SELECTED,
  /** The server ignores the selector: it sends everything. */
  IGNORED,
  /** The server selects or sends everything, another one for each watch. */
  CHANGING,
  /** Seeded fault: what the server selects lacks one of the needed namespaces. */
  LACKS_A_NAMESPACE,
  /** Seeded fault: a slot is listed while a watch without it is open. */
  LOADS_UNCOVERED,
  /** Seeded fault: a new namespace of a kept slot is not listed. */
  SKIPS_NEW_NAMESPACES
}
