// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.spi.SlotDirectory.Owner;
import dev.coxswain.admin.spi.SlotDirectory.Slot;
import dev.coxswain.admin.spi.SlotDirectory.SlotState;
import dev.coxswain.admin.spi.SlotDirectory.Stage;
import dev.coxswain.admin.spi.SlotDirectory.View;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The JSON of slots. Any thread. */
public final class SlotView {

  /** The field with the slot of an item, a controller or a problem. */
  public static final String SLOT = "slot";

  /** The state of a slot whose owner has ended; the slot map does not have it. */
  public static final String ORPHANED = "orphaned";

  /** The field with the slots by stage, of one replica. */
  public static final String STAGES = "stages";

  private SlotView() {}

  /** Returns one slot. */
  public static ObjectNode slot(int number, Slot slot, View view) {
    ObjectNode json = Json.object().put(SLOT, number).put("state", state(slot, view));
    json.put("epoch", slot.epoch());
    put(json, "owner", slot.owner());
    put(json, "target", slot.target());
    return json;
  }

  private static void put(ObjectNode json, String field, @Nullable Owner owner) {
    if (owner != null) {
      json.put(field, Json.clean(owner.replica()));
      json.put(field + "Identity", Json.clean(owner.identity()));
    }
  }

  /** Returns the state of a slot for display. */
  public static String state(Slot slot, View view) {
    Owner owner = slot.owner();
    return owner != null && slot.state() != SlotState.FREE && !view.isLive(owner)
        ? ORPHANED
        : slot.state().label();
  }

  /** Returns what one replica makes of the slot map; slots that are simply open are not listed. */
  public static ObjectNode own(String replica, View view) {
    ObjectNode json = Json.object().put("kind", "ReplicaSlots").put("replica", Json.clean(replica));
    json.put("phase", view.own().phase().label());
    json.put("resourceVersion", Json.clean(view.resourceVersion()));
    if (!view.own().problem().isEmpty()) {
      json.put("problem", Json.line(view.own().problem(), Json.MAX_ERROR_TEXT));
    }
    json.put("open", view.own().stages().values().stream().filter(Stage.OPEN::equals).count());
    ObjectNode stages = json.putObject(STAGES);
    new TreeMap<>(view.own().stages())
        .forEach((slot, stage) -> {
          if (stage != Stage.OPEN) {
            stages.withArray(stage.label()).add(slot);
          }
        });
    return json;
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

  /**
   * Adds what the Lease of a replica and the slot map have of it, if it is live.
   *
   * @param counts {@link #counts}
   */
  public static void share(ObjectNode json, String replica, View view, Map<Owner, Integer> counts) {
    view.share(replica)
        .ifPresent(share -> {
          json.put("weight", share.weight());
          json.put("drained", share.drained());
          json.put("leaving", share.leaving());
          json.put("slots", counts.getOrDefault(new Owner(replica, share.identity()), 0));
        });
  }
}
