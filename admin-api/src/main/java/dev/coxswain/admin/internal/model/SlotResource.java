// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import org.jspecify.annotations.Nullable;

/**
 * A slot of the slot map.
 *
 * @param slot its number
 * @param state such as {@code orphaned}
 * @param stage what its owner does with it; null when it is simply open, or not read
 * @param targetStage what the target of its move does with it
 */
public record SlotResource(
    int slot,
    String state,
    long epoch,
    @Nullable String owner,
    @Nullable String ownerIdentity,
    @Nullable String target,
    @Nullable String targetIdentity,
    @Nullable String stage,
    @Nullable String targetStage) {

  /** Returns the slot with what its owner and the target of its move do with it. */
  public SlotResource at(@Nullable String ownerStage, @Nullable String nextStage) {
    return new SlotResource(
        slot, state, epoch, owner, ownerIdentity, target, targetIdentity, ownerStage, nextStage);
  }
}
