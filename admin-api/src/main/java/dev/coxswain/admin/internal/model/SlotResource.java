// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.table.Columns;
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

  public static final Columns<SlotResource> COLUMNS =
      Columns.<SlotResource>of(one -> Integer.toString(one.slot()))
          .integer("SLOT", "Its number.", SlotResource::slot)
          .text("STATE", "Its state.", SlotResource::state)
          .text("OWNER", "The replica that owns it.", SlotResource::owner)
          .integer("EPOCH", "How often its owner has changed.", SlotResource::epoch)
          .text("TARGET", "The replica that it moves to.", SlotResource::target)
          .wide()
          .text("STAGE", "What its owner does with it.", SlotResource::stage)
          .text("TARGET-STAGE", "What the target does with it.", SlotResource::targetStage)
          .text("OWNER-IDENTITY", "The run of its owner.", SlotResource::ownerIdentity)
          .text("TARGET-IDENTITY", "The run of the target.", SlotResource::targetIdentity)
          .build();

  /** Returns the slot with what its owner and the target of its move do with it. */
  public SlotResource at(@Nullable String ownerStage, @Nullable String nextStage) {
    return new SlotResource(
        slot, state, epoch, owner, ownerIdentity, target, targetIdentity, ownerStage, nextStage);
  }
}
