// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.util.List;
import java.util.OptionalLong;

/**
 * Changes that are due, to be stored in one write.
 *
 * <p>Thread rule: immutable.
 *
 * @param changes T2, T3 and T6, in order
 * @param after after which time alone to plan again; empty when only an event can make a change due
 */
public record SlotPlan(List<SlotChange> changes, OptionalLong after) {

  public SlotPlan {
    changes = List.copyOf(changes);
  }
}
