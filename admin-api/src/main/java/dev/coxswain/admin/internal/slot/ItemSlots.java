// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.view.ItemId;
import java.util.Optional;

/** Finds the slot that decides which replica works on an item, or runs a controller. */
public final class ItemSlots {

  private final ControllerDirectory directory;

  public ItemSlots(ControllerDirectory directory) {
    this.directory = directory;
  }

  /** Returns the slots of this host; throws when it has none. */
  public SlotDirectory required(int status) {
    return directory
        .slots()
        .orElseThrow(() ->
            Problem.of(
                    status,
                    "slots-not-used",
                    "Slots not used",
                    "replica \""
                        + Json.line(directory.replica(), 64)
                        + "\" has no slots: a controller runs on one replica or on every replica,"
                        + " and no work can be moved between them")
                .rejection());
  }

  /**
   * Returns the slot of an item of a sharded controller. Empty for every other item, and for an id
   * that the slot cannot be computed from: requests for those go to all replicas.
   */
  public Optional<ItemSlot> of(String controller, ItemId id) {
    if (id.isShortened()) {
      return Optional.empty();
    }
    return directory
        .slots()
        .filter(slots -> ownership(controller).equals(Optional.of(Ownership.SHARDED)))
        .map(slots -> at(slots, slots.slotOf(id.namespace(), id.name())));
  }

  /** Returns the slot whose owner runs a controller; empty unless only one replica runs it. */
  public Optional<ItemSlot> ofController(String controller) {
    return directory
        .slots()
        .filter(slots -> ownership(controller).equals(Optional.of(Ownership.LEADER)))
        .map(slots -> at(slots, slots.slotOfController(controller)));
  }

  /** Returns the slot that decides which replica works on an item; empty when none does. */
  public Optional<ItemSlot> deciding(String controller, ItemId id) {
    return of(controller, id).or(() -> ofController(controller));
  }

  /** Returns the item that a body adds; empty when the body is invalid, which is reported later. */
  public static Optional<ItemId> added(Body body) {
    String name = body.peek("/name");
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(new ItemId(body.peek("/namespace"), name));
  }

  /**
   * Returns a text that changes with each change of an owner in the slot map: its uid and the sum of
   * all epochs. Empty when the controller has no slots, or the slot map has not been read.
   */
  public String version(String controller) {
    if (!ownership(controller).equals(Optional.of(Ownership.SHARDED))) {
      return "";
    }
    return directory
        .slots()
        .map(SlotDirectory::view)
        .filter(view -> !view.slots().isEmpty())
        .map(view ->
            Integer.toHexString(view.uid().hashCode())
                + "-"
                + view.slots().stream().mapToLong(SlotDirectory.Slot::epoch).sum())
        .orElse("");
  }

  private ItemSlot at(SlotDirectory slots, int number) {
    return new ItemSlot(directory.replica(), number, slots.view());
  }

  /** Returns the ownership of a controller that runs here, or that another replica runs alone. */
  private Optional<Ownership> ownership(String controller) {
    Optional<ControllerHandle> handle = directory.find(controller);
    return handle.isPresent()
        ? handle.map(one -> one.options().ownership())
        : directory
            .snapshot()
            .idle(controller)
            .filter(idle -> idle.phase() == IdlePhase.STANDBY)
            .map(idle -> Ownership.LEADER);
  }
}
