// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.managed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.schema.Schema;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** From trees to sets of fields; any thread. */
final class Fields {
  /** Fields that the server owns. */
  private static final List<String> SYSTEM_META =
      Json.words(
          """
          name namespace creationTimestamp selfLink uid generation managedFields
          resourceVersion deletionTimestamp deletionGracePeriodSeconds
          """);

  /** Parts of built-in objects that exist even in an empty one, so that no manager adds them. */
  private static final Set<String> ALWAYS_THERE =
      Set.copyOf(
          Json.words(
              """
              metadata spec status template containers strategy updateStrategy jobTemplate source
              involvedObject
              """));

  private Fields() {}

  /** Returns a copy without what the server owns. */
  static ObjectNode strip(ObjectNode object) {
    ObjectNode copy = object.deepCopy();
    copy.remove(List.of("apiVersion", "kind"));
    ObjectNode meta = Json.child(copy, "metadata");
    if (meta != null) {
      meta.remove(SYSTEM_META);
      if (meta.isEmpty()) {
        copy.remove("metadata");
      }
    }
    return copy;
  }

  /** The fields an applied configuration names. */
  static FieldSet of(JsonNode value, Schema schema) {
    FieldSet set = new FieldSet();
    applied(value, schema, set);
    set.remove(); // the object as a whole has no owner
    return set;
  }

  private static void applied(JsonNode value, Schema schema, FieldSet set) {
    if (value instanceof ObjectNode object && granular(schema) && !object.isEmpty()) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        applied(e.getValue(), schema.field(e.getKey()), set.child("f:" + e.getKey()));
      }
    } else if (value instanceof ArrayNode array && listSteps(schema) && !array.isEmpty()) {
      for (JsonNode item : array) {
        FieldSet child = set.child(step(item, schema));
        child.add();
        if (schema.keyedList() && item instanceof ObjectNode object && granular(schema.items())) {
          for (Map.Entry<String, JsonNode> e : object.properties()) {
            applied(e.getValue(), schema.items().field(e.getKey()), child.child("f:" + e.getKey()));
          }
        }
      }
    } else {
      set.add();
    }
  }

  /** True when an object merges field by field. */
  static boolean granular(Schema schema) {
    return schema.merge() != Schema.Merge.ATOMIC && schema.type() != Schema.Type.LIST;
  }

  /** True when a list has items with an identity. */
  static boolean listSteps(Schema schema) {
    return schema.keyedList()
        || (schema.type() == Schema.Type.LIST && schema.merge() == Schema.Merge.SET);
  }

  /** Names an item of a list with identities. */
  static String step(JsonNode item, Schema list) {
    if (!list.keyedList()) {
      return "v:" + item;
    }
    ObjectNode keys = Json.object();
    list.keys().stream()
        .sorted()
        .forEach(key -> {
          JsonNode value = item.get(key);
          JsonNode keyValue = value == null ? preset(list, key) : value;
          if (keyValue != null) {
            keys.set(key, keyValue);
          }
        });
    return "k:" + keys;
  }

  private static @Nullable JsonNode preset(Schema list, String key) {
    return key.equals("protocol") && !list.custom()
        ? Json.text("TCP") // the default of every port list
        : list.items().field(key).defaultValue();
  }

  /** Finds an item without its keys, or two items that are the same one; null without any. */
  static @Nullable String ambiguity(JsonNode value, Schema schema, String path) {
    if (value instanceof ObjectNode object && granular(schema)) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        String found = ambiguity(e.getValue(), schema.field(e.getKey()), path + "." + e.getKey());
        if (found != null) {
          return found;
        }
      }
    } else if (value instanceof ArrayNode array && listSteps(schema)) {
      Set<String> steps = new HashSet<>();
      for (int i = 0; i < array.size(); i++) {
        JsonNode item = array.get(i);
        if (schema.keyedList()
            && schema.keys().stream()
                .allMatch(key -> !item.has(key) && preset(schema, key) == null)) {
          return "%s: element %s: associative list with keys has an element that omits all key fields [%s] (and doesn't have default values for any key fields)"
              .formatted(
                  path,
                  i,
                  schema.keys().stream().map(Cause::quote).collect(Collectors.joining(" ")));
        }
        String step = step(item, schema);
        String shown = FieldSet.readable(step);
        if (!steps.add(step)) {
          return path + ": duplicate entries for key " + shown;
        }
        String found = ambiguity(item, schema.items(), path + shown);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  /**
   * The differences between two states.
   *
   * @param changed fields that are new or different
   * @param removed fields that are gone
   */
  record Difference(FieldSet changed, FieldSet removed) {
    boolean same() {
      return changed.isEmpty() && removed.isEmpty();
    }
  }

  /** Compares two stripped trees. */
  static Difference compare(ObjectNode old, ObjectNode now, Schema schema) {
    Difference difference = new Difference(new FieldSet(), new FieldSet());
    walk(old, now, schema, difference.changed(), difference.removed(), schema.custom());
    return difference;
  }

  private static void walk(
      @Nullable JsonNode old,
      @Nullable JsonNode now,
      Schema schema,
      FieldSet changed,
      FieldSet removed,
      boolean dots) {
    if (old == null && now == null) {
      return;
    }
    if (old == null || now == null) {
      all(old == null ? now : old, schema, old == null ? changed : removed, dots, "");
    } else if (old instanceof ObjectNode a && now instanceof ObjectNode b && granular(schema)) {
      for (Map.Entry<String, JsonNode> e : a.properties()) {
        field(e.getKey(), e.getValue(), b.get(e.getKey()), schema, changed, removed, dots);
      }
      for (Map.Entry<String, JsonNode> e : b.properties()) {
        if (!a.has(e.getKey())) {
          field(e.getKey(), null, e.getValue(), schema, changed, removed, dots);
        }
      }
    } else if (old instanceof ArrayNode a && now instanceof ArrayNode b && listSteps(schema)) {
      Map<String, JsonNode> before = items(a, schema);
      Map<String, JsonNode> after = items(b, schema);
      for (String step : union(before.keySet(), after.keySet())) {
        FieldSet c = new FieldSet();
        FieldSet r = new FieldSet();
        JsonNode x = before.get(step);
        JsonNode y = after.get(step);
        if (x == null || y == null) {
          FieldSet target = x == null ? c : r;
          target.add();
          all(x == null ? y : x, schema.items(), target, dots, "");
        } else {
          walk(x, y, schema.items(), c, r, dots);
        }
        attach(changed, step, c);
        attach(removed, step, r);
      }
    } else if (!old.equals(now)) {
      changed.add();
    }
  }

  private static void field(
      String name,
      @Nullable JsonNode old,
      @Nullable JsonNode now,
      Schema schema,
      FieldSet changed,
      FieldSet removed,
      boolean dots) {
    FieldSet c = new FieldSet();
    FieldSet r = new FieldSet();
    Schema inner = schema.field(name);
    if (old == null || now == null) {
      JsonNode only = old == null ? now : old;
      if (only != null) {
        all(only, inner, old == null ? c : r, dots, name);
      }
    } else {
      walk(old, now, inner, c, r, dots);
    }
    attach(changed, "f:" + name, c);
    attach(removed, "f:" + name, r);
  }

  private static void attach(FieldSet parent, String step, FieldSet child) {
    if (!child.isEmpty()) {
      parent.child(step).addAll(child);
    }
  }

  /** Adds a value with everything in it, containers included. */
  private static void all(
      @Nullable JsonNode value, Schema schema, FieldSet set, boolean dots, String name) {
    boolean always = name.equals("metadata") || (!dots && ALWAYS_THERE.contains(name));
    if (!always || value == null || !value.isContainerNode() || value.isEmpty()) {
      set.add();
    }
    if (value instanceof ObjectNode object && granular(schema)) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        all(e.getValue(), schema.field(e.getKey()), set.child("f:" + e.getKey()), dots, e.getKey());
      }
    } else if (value instanceof ArrayNode array && listSteps(schema)) {
      for (JsonNode item : array) {
        FieldSet child = set.child(step(item, schema));
        child.add();
        all(item, schema.items(), child, dots, "");
      }
    } else {
      set.add();
    }
  }

  private static Map<String, JsonNode> items(ArrayNode list, Schema schema) {
    Map<String, JsonNode> items = new java.util.LinkedHashMap<>();
    list.forEach(item -> items.put(step(item, schema), item));
    return items;
  }

  private static Set<String> union(Set<String> a, Set<String> b) {
    Set<String> all = new java.util.LinkedHashSet<>(a);
    all.addAll(b);
    return all;
  }
}
