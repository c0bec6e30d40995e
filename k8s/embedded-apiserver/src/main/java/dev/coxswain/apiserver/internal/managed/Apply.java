// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.managed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.schema.Schema;
import dev.coxswain.apiserver.internal.status.ApiException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Server-side apply as a function on trees; any thread. */
public final class Apply {
  /**
   * The manager that owns the existing fields when an untracked object is applied for the first
   * time.
   */
  private static final String BEFORE = "before-first-apply";

  private Apply() {}

  /** Records the applier of a new object, in its {@code managedFields}. */
  public static void created(
      ServedResource resource, ObjectNode config, String manager, String subresource, String now) {
    Managers managers = new Managers();
    Managers.Id self = new Managers.Id(manager, true, resource.apiVersion(), subresource);
    managers.set(self, Fields.of(Fields.strip(config), resource.version().schema()));
    managers.touch(self, now);
    managers.write(config);
  }

  /**
   * Merges a configuration into the live object; throws a 409 when other managers own changed fields and {@code force} is off.
   *
   * @return the new state, with its owners in {@code managedFields}
   */
  public static ObjectNode merged(
      ServedResource resource,
      ObjectNode live,
      ObjectNode config,
      String manager,
      String subresource,
      boolean force,
      String now) {
    Schema schema = resource.version().schema();
    Managers managers = Managers.parse(live);
    if (managers.isEmpty()) {
      Managers.Id before = new Managers.Id(BEFORE, false, resource.apiVersion(), "");
      managers.set(before, Fields.compare(Json.object(), Fields.strip(live), schema).changed());
      managers.touch(before, now);
    }
    Managers.Id self = new Managers.Id(manager, true, resource.apiVersion(), subresource);
    FieldSet applied = Fields.of(Fields.strip(config), schema);
    ObjectNode result = live.deepCopy();
    merge(result, config, schema);

    Fields.Difference change = Fields.compare(Fields.strip(live), Fields.strip(result), schema);
    Map<Managers.Id, FieldSet> conflicts = managers.conflicts(change.changed(), self);
    if (!conflicts.isEmpty()) {
      if (!force) {
        throw conflict(conflicts);
      }
      managers.take(change.changed(), self);
    }
    FieldSet before = managers.fields(self);
    managers.set(self, applied);
    if (before != null) {
      FieldSet dropped = before.copy();
      dropped.removeAll(applied);
      prune(result, schema, dropped, managers.others(self), applied);
    }
    Fields.Difference all = Fields.compare(Fields.strip(live), Fields.strip(result), schema);
    managers.take(all.removed(), self);
    if (!all.same()) {
      managers.touch(self, now);
    }
    managers.write(result);
    return result;
  }

  private static ApiException conflict(Map<Managers.Id, FieldSet> conflicts) {
    ObjectNode details = Json.object();
    ArrayNode causes = details.putArray("causes");
    StringBuilder blocks = new StringBuilder();
    conflicts.forEach((id, fields) -> {
      blocks
          .append(blocks.isEmpty() ? "" : "\n")
          .append("conflicts with ")
          .append(id.shown())
          .append(':');
      for (String path : fields.paths()) {
        blocks.append("\n- ").append(path);
        causes
            .addObject()
            .put("reason", "FieldManagerConflict")
            .put("message", "conflict with " + id.shown())
            .put("field", path);
      }
    });
    int count = causes.size();
    String text =
        count == 1
            ? "Apply failed with 1 conflict: "
                + Json.text(causes.get(0), "message")
                + ": "
                + Json.text(causes.get(0), "field")
            : "Apply failed with " + count + " conflicts: " + blocks;
    return ApiException.of(409, "Conflict", text, details);
  }

  /** Merges {@code config} into {@code target} in place. */
  private static void merge(ObjectNode target, ObjectNode config, Schema schema) {
    for (Map.Entry<String, JsonNode> e : config.properties()) {
      Schema field = schema.field(e.getKey());
      JsonNode value = e.getValue();
      JsonNode current = target.get(e.getKey());
      if (value.isNull()) {
        target.remove(e.getKey());
      } else if (value instanceof ObjectNode object
          && current instanceof ObjectNode into
          && Fields.granular(field)) {
        merge(into, object, field);
      } else if (value instanceof ArrayNode list
          && current instanceof ArrayNode into
          && Fields.listSteps(field)) {
        for (JsonNode item : list) {
          int at = find(into, Fields.step(item, field), field);
          if (at < 0) {
            into.add(item.deepCopy());
          } else if (item instanceof ObjectNode object
              && into.get(at) instanceof ObjectNode found
              && Fields.granular(field.items())) {
            merge(found, object, field.items());
          } else {
            into.set(at, item.deepCopy());
          }
        }
      } else {
        target.set(e.getKey(), value.deepCopy());
      }
    }
  }

  private static int find(ArrayNode list, String step, Schema schema) {
    for (int i = 0; i < list.size(); i++) {
      if (Fields.step(list.get(i), schema).equals(step)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Removes fields that the applier has dropped and no other manager owns; returns true when {@code
   * node} itself must be removed.
   */
  private static boolean prune(
      JsonNode node,
      Schema schema,
      FieldSet dropped,
      @Nullable FieldSet others,
      @Nullable FieldSet kept) {
    for (Map.Entry<String, FieldSet> e : dropped.children().entrySet()) {
      String step = e.getKey();
      FieldSet theirs = others == null ? null : others.children().get(step);
      FieldSet ours = kept == null ? null : kept.children().get(step);
      if (node instanceof ObjectNode object && step.startsWith("f:")) {
        String name = step.substring(2);
        JsonNode child = object.get(name);
        if (child != null && prune(child, schema.field(name), e.getValue(), theirs, ours)) {
          object.remove(name);
        }
      } else if (node instanceof ArrayNode array) {
        int at = find(array, step, schema);
        if (at >= 0 && prune(array.get(at), schema.items(), e.getValue(), theirs, ours)) {
          array.remove(at);
        }
      }
    }
    boolean owned = (others != null && !others.isEmpty()) || (kept != null && !kept.isEmpty());
    return !owned && (dropped.member() || node.isEmpty());
  }

  /** Returns what makes the items of a list ambiguous; null when nothing does. */
  public static @Nullable String ambiguity(ObjectNode config, Schema schema) {
    return Fields.ambiguity(config, schema, "");
  }

  /** Refuses configurations that no applier may send. */
  public static void check(ObjectNode config) {
    if (config.path("metadata").hasNonNull("managedFields")) {
      throw ApiException.badRequest("metadata.managedFields must be nil");
    }
  }
}
