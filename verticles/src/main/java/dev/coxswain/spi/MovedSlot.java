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
 * @param history the last attempts of requests that have failed, the newest first; not of all
 */
public record MovedSlot(
    List<MovedItem> items,
    List<String> positions,
    Map<String, String> added,
    List<MovedAttempts> history) {
  public MovedSlot {
    items = List.copyOf(items);
    positions = List.copyOf(positions);
    added = Map.copyOf(added);
    history = List.copyOf(history);
  }

  /** The state of a controller without past attempts. */
  public MovedSlot(List<MovedItem> items, List<String> positions, Map<String, String> added) {
    this(items, positions, added, List.of());
  }

  /** The state of a controller without added sources. */
  public MovedSlot(List<MovedItem> items, List<String> positions) {
    this(items, positions, Map.of());
  }
}
