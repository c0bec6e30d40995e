// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import java.util.List;

/**
 * The state that one controller hands over with a slot.
 *
 * <p>Thread rule: immutable.
 *
 * @param items the queued requests of the slot
 * @param positions how far each source of the controller has received changes, in the order of the
 *     sources; empty for an unknown position
 */
public record MovedSlot(List<MovedItem> items, List<String> positions) {
  public MovedSlot {
    items = List.copyOf(items);
    positions = List.copyOf(positions);
  }
}
