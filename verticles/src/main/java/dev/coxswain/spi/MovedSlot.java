// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import java.util.List;
import java.util.Map;

/**
 * The state that one controller hands over with a slot.
 *
 * <p>Thread rule: immutable.
 *
 * @param items the queued requests of the slot
 * @param positions how far each source of the start of the controller has received changes, in the
 *     order of the sources; empty for an unknown position
 * @param added the positions of the sources that were added while it ran, by name
 */
public record MovedSlot(List<MovedItem> items, List<String> positions, Map<String, String> added) {
  public MovedSlot {
    items = List.copyOf(items);
    positions = List.copyOf(positions);
    added = Map.copyOf(added);
  }

  /** The state of a controller without added sources. */
  public MovedSlot(List<MovedItem> items, List<String> positions) {
    this(items, positions, Map.of());
  }
}
