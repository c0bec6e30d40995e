// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.SlotView;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.QueuedItem;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The JSON of items. */
public final class ItemView {

  /** The names of all fields, in their order in the JSON. */
  public static final Set<String> FIELDS =
      Collections.unmodifiableSet(
          new LinkedHashSet<>(
              List.of(
                  "id",
                  "key",
                  "phase",
                  "failures",
                  "failing",
                  "dirty",
                  "overdue",
                  "priority",
                  "trigger",
                  "readyAt",
                  "waitingSince",
                  "startedAt",
                  "failedAt",
                  "notBefore",
                  "lastError",
                  "lastErrorAt",
                  "seq",
                  "rev")));

  private ItemView() {}

  /** Returns some fields of an item; all of them for null. */
  static ObjectNode item(QueuedItem item, @Nullable Set<String> fields) {
    ObjectNode json = item(item);
    return fields == null ? json : json.retain(fields);
  }

  static ObjectNode item(QueuedItem item) {
    ObjectNode json = Json.object();
    json.put("id", item.id());
    json.set("key", key(item.namespace(), item.name()));
    json.put("phase", item.phase().label());
    json.put("failures", item.failures());
    json.put("failing", item.failing());
    json.put("dirty", item.dirty());
    json.put("overdue", item.overdue());
    json.put("priority", item.priority());
    json.put("trigger", trigger(item.trigger()));
    switch (item.phase()) {
      case READY -> Json.putTime(json, "readyAt", item.since());
      case DELAYED -> Json.putTime(json, "readyAt", item.nextAttemptAt());
      case WAITING_TOKEN -> Json.putTime(json, "waitingSince", item.since());
      case IN_FLIGHT -> Json.putTime(json, "startedAt", item.since());
      case TERMINAL -> Json.putTime(json, "failedAt", item.since());
    }
    Json.putTime(json, "notBefore", item.notBefore());
    if (item.lastError() != null) {
      json.put("lastError", Json.line(item.lastError(), Json.MAX_ERROR_TEXT));
    }
    Json.putTime(json, "lastErrorAt", item.lastErrorAt());
    json.put("seq", item.seq());
    json.put("rev", rev(item));
    return json;
  }

  /**
   * Returns an item with its stack trace: for reads of this one item, not for lists and responses
   * to changes.
   */
  static ObjectNode whole(QueuedItem item) {
    ObjectNode json = item(item);
    if (item.lastErrorStack() != null) {
      json.put("lastErrorStack", Json.clean(item.lastErrorStack()));
    }
    return json;
  }

  static ObjectNode key(String namespace, String name) {
    return Json.object().put("namespace", Json.clean(namespace)).put("name", Json.clean(name));
  }

  /** Returns the state of an item that a request conflicts with. */
  static ObjectNode current(QueuedItem item) {
    return Json.object().put("phase", item.phase().label()).put("rev", rev(item));
  }

  static String rev(QueuedItem item) {
    return Long.toString(item.rev());
  }

  static String etag(QueuedItem item) {
    return "\"" + item.rev() + "\"";
  }

  static String trigger(Trigger trigger) {
    return switch (trigger) {
      case EVENT -> "event";
      case INITIAL_LIST -> "initialList";
      case RESYNC -> "resync";
      case RETRY -> "retry";
      case REQUEUE_AFTER -> "requeueAfter";
      case OPERATOR -> "operator";
      case ACQUIRED -> "acquired";
    };
  }

  static ObjectNode explanation(String controller, ItemId id, Explanation why) {
    ObjectNode json = Json.object();
    json.put("kind", "Explanation");
    json.put("controller", controller);
    json.put("id", id.encoded());
    json.set("key", key(id.namespace(), id.name()));
    json.put("reason", why.reason().label());
    json.put("message", Json.clean(why.message()));
    if (why.position() > 0) {
      json.put("position", why.position());
      json.put("of", why.of());
    }
    Json.putTime(json, "expectedStart", why.expectedStart());
    Json.putTime(json, "endedAt", why.endedAt());
    if (why.endedBy() != null) {
      json.put("endedBy", Json.clean(why.endedBy()));
    }
    var conditions = json.putArray("conditions");
    why.conditions().forEach(condition -> conditions.add(Json.clean(condition)));
    if (why.item() != null) {
      json.set("item", whole(why.item()));
    }
    return json;
  }

  /**
   * Adds the owner of an item, and what the slot means for its start.
   *
   * @param absent whether this replica does not track the item, and would only as the owner
   */
  static void slot(ObjectNode json, ItemSlot slot, boolean absent) {
    if (absent && !slot.isHere()) {
      json.put("reason", slot.replicas().isEmpty() ? ItemSlot.UNOWNED : ItemSlot.NOT_OWNED);
      json.put("message", slot.sentence() + " Only its owner has this request.");
    } else {
      json.put("message", json.path("message").asText() + " " + slot.sentence());
    }
    slot.blocker().ifPresent(json.withArray("conditions")::add);
    slot.toJson().ifPresent(shown -> json.set(SlotView.SLOT, shown));
  }

  /** Returns the explanation of an item whose slot has no owner. */
  public static ObjectNode unowned(String controller, ItemId id, ItemSlot slot) {
    ObjectNode json = Json.object().put("kind", "Explanation").put("controller", controller);
    json.put("id", id.encoded());
    json.set("key", key(id.namespace(), id.name()));
    json.put("reason", ItemSlot.UNOWNED);
    json.put(
        "message", slot.sentence() + " It is reconciled when a replica has taken the slot over.");
    json.putArray("conditions");
    slot.toJson().ifPresent(shown -> json.set(SlotView.SLOT, shown));
    return json;
  }
}
