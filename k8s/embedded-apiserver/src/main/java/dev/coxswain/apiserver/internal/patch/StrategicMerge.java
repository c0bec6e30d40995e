// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.schema.Schema;
import dev.coxswain.apiserver.internal.status.ApiException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Strategic merge patch: like a merge patch, but lists with a key merge item by item, and
 * directives ({@code $patch}, {@code $deleteFromPrimitiveList/…}, {@code $setElementOrder/…},
 * {@code $retainKeys}) refine that. Any thread.
 */
public final class StrategicMerge {
  private static final String DIRECTIVE = "$patch";
  private static final String DELETE_FROM = "$deleteFromPrimitiveList/";
  private static final String ORDER = "$setElementOrder/";
  private static final String RETAIN = "$retainKeys";

  private static final Set<String> DIRECTIVES = Set.of("replace", "delete", "merge");

  private StrategicMerge() {}

  /** Merges {@code patch} into {@code target} in place. */
  public static void apply(ObjectNode target, ObjectNode patch, Schema schema) {
    String directive = Json.text(patch, DIRECTIVE);
    if (patch.has(DIRECTIVE) && !DIRECTIVES.contains(directive)) {
      throw ApiException.internal(
          "unknown patch type: %s in map: %s"
              .formatted(print(patch.path(DIRECTIVE)), print(patch)));
    }
    if (directive.equals("replace")) {
      target.removeAll();
      copy(patch, target);
      return;
    }
    if (directive.equals("delete")) {
      target.removeAll();
      return;
    }
    if (patch.has(RETAIN)) {
      retain(target, patch);
    }
    for (Map.Entry<String, JsonNode> e : patch.properties()) {
      String name = e.getKey();
      JsonNode value = e.getValue();
      if (name.startsWith(ORDER) && !patch.has(name.substring(ORDER.length()))) {
        String list = name.substring(ORDER.length());
        if (target.get(list) instanceof ArrayNode) { // nothing but a new order
          field(target, list, Json.array(), schema.field(list), value);
        }
      } else if (name.startsWith(DELETE_FROM)) {
        deleteFrom(target, name.substring(DELETE_FROM.length()), value);
      } else if (!name.startsWith("$")) {
        field(target, name, value, schema.field(name), patch.get(ORDER + name));
      }
    }
  }

  /** Keeps the named fields only; what the patch sets must be among them. */
  private static void retain(ObjectNode target, ObjectNode patch) {
    if (!(patch.get(RETAIN) instanceof ArrayNode list)) {
      throw ApiException.badRequest("invalid patch format of retainKeys");
    }
    Set<String> keep = new HashSet<>(Json.texts(list));
    for (Map.Entry<String, JsonNode> e : patch.properties()) {
      if (!e.getKey().startsWith("$") && !e.getValue().isNull() && !keep.contains(e.getKey())) {
        throw ApiException.of(
            422,
            "Invalid",
            "the server rejected our request due to an error in our request",
            Json.object());
      }
    }
    target.retain(keep);
  }

  private static void field(
      ObjectNode target, String name, JsonNode value, Schema schema, @Nullable JsonNode order) {
    JsonNode current = target.get(name);
    if (value.isNull()) {
      target.remove(name);
    } else if (value instanceof ObjectNode object) {
      ObjectNode inner = current instanceof ObjectNode found ? found : Json.object();
      apply(inner, object, schema);
      if (Json.text(object, DIRECTIVE).equals("delete")) {
        target.remove(name);
      } else {
        target.set(name, inner);
      }
    } else if (value instanceof ArrayNode list
        && schema.type() == Schema.Type.LIST
        && schema.merge() != Schema.Merge.ATOMIC) {
      ArrayNode live = current instanceof ArrayNode found ? found : Json.array();
      target.set(
          name,
          schema.keyedList()
              ? mergeItems(live, list, schema.items(), schema.keys().getFirst(), order)
              : mergeSet(live, list, order));
    } else {
      target.set(name, value.deepCopy());
    }
  }

  private static void copy(ObjectNode from, ObjectNode to) {
    for (Map.Entry<String, JsonNode> e : from.properties()) {
      if (!e.getKey().startsWith("$")) {
        to.set(e.getKey(), e.getValue().deepCopy());
      }
    }
  }

  private static void deleteFrom(ObjectNode target, String name, JsonNode values) {
    if (!values.isArray()) {
      throw ApiException.badRequest("invalid patch format of primitive list");
    }
    if (target.get(name) instanceof ArrayNode list) {
      ArrayNode kept = Json.array();
      Set<JsonNode> gone = new HashSet<>();
      values.forEach(gone::add);
      list.forEach(item -> {
        if (!gone.contains(item)) {
          kept.add(item);
        }
      });
      target.set(name, kept);
    }
  }

  private static ArrayNode mergeSet(ArrayNode live, ArrayNode patch, @Nullable JsonNode order) {
    List<JsonNode> given = new ArrayList<>();
    patch.forEach(item -> {
      if (!given.contains(item)) {
        given.add(item);
      }
    });
    List<JsonNode> others = new ArrayList<>();
    live.forEach(item -> {
      if (!given.contains(item)) {
        others.add(item);
      }
    });
    return arranged(others, given, order, live, null);
  }

  private static ArrayNode mergeItems(
      ArrayNode live, ArrayNode patch, Schema items, String key, @Nullable JsonNode order) {
    for (JsonNode item : patch) {
      if (item.has(DIRECTIVE) && !DIRECTIVES.contains(Json.text(item, DIRECTIVE))) {
        throw ApiException.internal(
            "unknown patch type: %s in map: %s"
                .formatted(print(item.path(DIRECTIVE)), print(item)));
      }
      if (Json.text(item, DIRECTIVE).equals("replace")) {
        ArrayNode replaced = Json.array();
        patch.forEach(p -> {
          if (!p.has(DIRECTIVE)) {
            replaced.add(p.deepCopy());
          }
        });
        return replaced;
      }
    }
    List<JsonNode> given = new ArrayList<>();
    Set<JsonNode> touched = new HashSet<>();
    for (JsonNode item : patch) {
      JsonNode id = item.get(key);
      if (!(item instanceof ObjectNode object) || id == null) {
        throw ApiException.internal(
            "map: " + print(item) + " does not contain declared merge key: " + key);
      }
      touched.add(id);
      if (!Json.text(object, DIRECTIVE).equals("delete")) {
        ObjectNode merged =
            find(live, key, id) instanceof ObjectNode found ? found.deepCopy() : Json.object();
        apply(merged, object, items);
        given.add(merged);
      }
    }
    List<JsonNode> others = new ArrayList<>();
    live.forEach(item -> {
      if (!touched.contains(item.path(key))) {
        others.add(item);
      }
    });
    return arranged(others, given, order, live, key);
  }

  private static @Nullable JsonNode find(ArrayNode list, String key, JsonNode id) {
    for (JsonNode item : list) {
      if (id.equals(item.get(key))) {
        return item;
      }
    }
    return null;
  }

  /** What an order names counts as given, also when only the server has it. */
  private static ArrayNode arranged(
      List<JsonNode> others,
      List<JsonNode> given,
      @Nullable JsonNode order,
      ArrayNode live,
      @Nullable String key) {
    if (order == null) {
      return interleave(others, given, live, key);
    }
    Set<JsonNode> ids = new HashSet<>();
    order.forEach(entry -> ids.add(id(entry, key)));
    List<JsonNode> named = new ArrayList<>(given);
    others.stream().filter(item -> ids.contains(id(item, key))).forEach(named::add);
    List<JsonNode> rest = others.stream().filter(item -> !ids.contains(id(item, key))).toList();
    return interleave(rest, sorted(named, order, key), live, key);
  }

  private static List<JsonNode> sorted(List<JsonNode> items, JsonNode order, @Nullable String key) {
    List<JsonNode> ids = new ArrayList<>();
    order.forEach(entry -> ids.add(id(entry, key)));
    List<JsonNode> sorted = new ArrayList<>(items);
    sorted.sort((a, b) -> {
      int i = ids.indexOf(id(a, key));
      int j = ids.indexOf(id(b, key));
      return i < 0 || j < 0 ? 0 : Integer.compare(i, j);
    });
    return sorted;
  }

  private static JsonNode id(JsonNode item, @Nullable String key) {
    return key == null ? item : item.path(key);
  }

  /**
   * Places the items that only the server has between those of the patch: before the first patch item
   * that follows them in the live list, else at the end.
   */
  private static ArrayNode interleave(
      List<JsonNode> others, List<JsonNode> given, ArrayNode live, @Nullable String key) {
    List<JsonNode> liveIds = new ArrayList<>();
    live.forEach(item -> liveIds.add(id(item, key)));
    ArrayNode all = Json.array();
    int i = 0;
    int j = 0;
    while (i < others.size() || j < given.size()) {
      boolean takeOther;
      if (i >= others.size()) {
        takeOther = false;
      } else if (j >= given.size()) {
        takeOther = true;
      } else {
        int a = liveIds.indexOf(id(others.get(i), key));
        int b = liveIds.indexOf(id(given.get(j), key));
        takeOther = b >= 0 && a < b;
      }
      all.add(takeOther ? others.get(i++) : given.get(j++));
    }
    return all;
  }

  private static String print(JsonNode node) {
    if (node.isArray()) {
      return node.valueStream()
          .map(StrategicMerge::print)
          .collect(Collectors.joining(" ", "[", "]"));
    }
    if (node.isObject()) {
      Map<String, JsonNode> sorted = new TreeMap<>();
      node.properties().forEach(e -> sorted.put(e.getKey(), e.getValue()));
      return sorted.entrySet().stream()
          .map(e -> e.getKey() + ":" + print(e.getValue()))
          .collect(Collectors.joining(" ", "map[", "]"));
    }
    return node.isNull() ? "<nil>" : node.asText();
  }
}
