// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.managed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The owners of an object's fields; one thread at a time. */
final class Managers {
  /**
   * The identity of a manager; immutable.
   *
   * @param manager name
   * @param applied true for server-side apply, false for updates
   * @param apiVersion version in which the fields were written
   * @param subresource subresource that was written, empty = none
   */
  record Id(String manager, boolean applied, String apiVersion, String subresource) {
    /** As failures name it. */
    String shown() {
      String text = Cause.quote(manager);
      if (!subresource.isEmpty()) {
        text += " with subresource " + Cause.quote(subresource);
      }
      return applied ? text : text + " using " + apiVersion;
    }
  }

  private static final class Entry {
    private FieldSet fields;
    private String time;

    Entry(FieldSet fields, String time) {
      this.fields = fields;
      this.time = time;
    }
  }

  private final Map<Id, Entry> entries = new LinkedHashMap<>();

  /** Whether there are owners in a {@code managedFields}, all in the form of the API. */
  static boolean readable(JsonNode list) {
    for (JsonNode node : list) {
      String operation = Json.text(node, "operation");
      if ((!operation.equals("Apply") && !operation.equals("Update"))
          || Json.text(node, "apiVersion").isEmpty()
          || !Json.text(node, "fieldsType").equals("FieldsV1")) {
        return false;
      }
    }
    return !list.isEmpty();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Reads {@code metadata.managedFields}. */
  static Managers parse(ObjectNode object) {
    Managers managers = new Managers();
    for (JsonNode node : object.path("metadata").path("managedFields")) {
      Id id =
          new Id(
              Json.text(node, "manager"),
              Json.text(node, "operation").equals("Apply"),
              Json.text(node, "apiVersion"),
              Json.text(node, "subresource"));
      managers.entries.put(
          id, new Entry(FieldSet.parse(node.get("fieldsV1")), Json.text(node, "time")));
    }
    return managers;
  }

  /** Writes {@code metadata.managedFields}; appliers first. */
  void write(ObjectNode object) {
    ArrayNode list = Json.array();
    for (boolean applied : new boolean[] {true, false}) {
      entries.forEach((id, entry) -> {
        if (id.applied() != applied) {
          return;
        }
        ObjectNode node = list.addObject();
        node.put("manager", id.manager()).put("operation", id.applied() ? "Apply" : "Update");
        node.put("apiVersion", id.apiVersion());
        if (!entry.time.isEmpty()) {
          node.put("time", entry.time);
        }
        node.put("fieldsType", "FieldsV1");
        node.set("fieldsV1", entry.fields.print());
        if (!id.subresource().isEmpty()) {
          node.put("subresource", id.subresource());
        }
      });
    }
    ObjectNode meta = Json.ensure(object, "metadata");
    if (list.isEmpty()) {
      meta.remove("managedFields");
    } else {
      meta.set("managedFields", list);
    }
  }

  @Nullable FieldSet fields(Id id) {
    Entry entry = entries.get(id);
    return entry == null ? null : entry.fields;
  }

  /** Replaces what an owner owns; keeps its time. */
  void set(Id id, FieldSet fields) {
    Entry entry = entries.get(id);
    if (fields.isEmpty()) {
      entries.remove(id);
    } else if (entry == null) {
      entries.put(id, new Entry(fields, ""));
    } else {
      entry.fields = fields;
    }
  }

  void touch(Id id, String now) {
    Entry entry = entries.get(id);
    if (entry != null) {
      entry.time = now;
    }
  }

  /** Takes fields away from everyone but {@code except}. */
  void take(FieldSet fields, @Nullable Id except) {
    entries
        .entrySet()
        .removeIf(e -> {
          if (e.getKey().equals(except)) {
            return false;
          }
          e.getValue().fields.removeAll(fields);
          return e.getValue().fields.isEmpty();
        });
  }

  /** The fields that all but {@code except} own together. */
  FieldSet others(Id except) {
    FieldSet all = new FieldSet();
    entries.forEach((id, entry) -> {
      if (!id.equals(except)) {
        all.addAll(entry.fields);
      }
    });
    return all;
  }

  /** Which of {@code fields} others own, by owner. */
  Map<Id, FieldSet> conflicts(FieldSet fields, Id except) {
    Map<Id, FieldSet> conflicts = new LinkedHashMap<>();
    entries.forEach((id, entry) -> {
      FieldSet both = entry.fields.intersection(fields);
      if (!id.equals(except) && !both.isEmpty()) {
        conflicts.put(id, both);
      }
    });
    return conflicts;
  }
}
