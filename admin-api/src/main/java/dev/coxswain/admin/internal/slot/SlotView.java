// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.SlotResource;
import dev.coxswain.admin.spi.SlotDirectory.Owner;
import dev.coxswain.admin.spi.SlotDirectory.Slot;
import dev.coxswain.admin.spi.SlotDirectory.SlotState;
import dev.coxswain.admin.spi.SlotDirectory.Stage;
import dev.coxswain.admin.spi.SlotDirectory.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The values of slots. Any thread. */
public final class SlotView {

  /** The field with the slot of an item, a controller or a problem. */
  public static final String SLOT = "slot";

  /** The state of a slot whose owner has ended; the slot map does not have it. */
  public static final String ORPHANED = "orphaned";

  private SlotView() {}

  /** Returns one slot. */
  public static SlotResource slot(int number, Slot slot, View view) {
    Owner owner = slot.owner();
    Owner target = slot.target();
    return new SlotResource(
        number,
        state(slot, view),
        slot.epoch(),
        owner == null ? null : owner.replica(),
        owner == null ? null : owner.identity(),
        target == null ? null : target.replica(),
        target == null ? null : target.identity(),
        null,
        null);
  }

  /** Returns the state of a slot for display. */
  public static String state(Slot slot, View view) {
    Owner owner = slot.owner();
    return owner != null && slot.state() != SlotState.FREE && !view.isLive(owner)
        ? ORPHANED
        : slot.state().label();
  }

  /** Returns what one replica makes of the slot map; slots that are simply open are not listed. */
  public static SlotList.Own own(String replica, View view) {
    Map<String, List<Integer>> stages = new TreeMap<>();
    new TreeMap<>(view.own().stages())
        .forEach((slot, stage) -> {
          if (stage != Stage.OPEN) {
            stages.computeIfAbsent(stage.label(), _ -> new ArrayList<>()).add(slot);
          }
        });
    return new SlotList.Own(
        "ReplicaSlots",
        replica,
        view.own().phase().label(),
        view.resourceVersion(),
        view.own().problem().isEmpty()
            ? null
            : Json.line(view.own().problem(), Json.MAX_ERROR_TEXT),
        view.own().stages().values().stream().filter(Stage.OPEN::equals).count(),
        stages);
  }

  /** Returns how many slots each owner has. */
  public static Map<Owner, Integer> counts(View view) {
    Map<Owner, Integer> counts = new HashMap<>();
    for (Slot slot : view.slots()) {
      Owner owner = slot.owner();
      if (owner != null) {
        counts.merge(owner, 1, Integer::sum);
      }
    }
    return counts;
  }
}
