// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Random stored objects: trees of nodes with members that the class {@link Node} does not have, at any
 * depth. {@link #unknown} has them by the number of their node.
 */
final class RandomTrees {

  /** All shapes in which a class has other objects. */
  static final class Node {
    int no;
    @Nullable String name;
    @Nullable Integer size;
    @Nullable Double weight;
    @Nullable Node inner;

    /** With names, which are their keys. */
    @Nullable List<@Nullable Node> parts;

    /** Without keys. */
    @Nullable List<@Nullable Node> loose;

    Node @Nullable [] array;
    @Nullable LinkedHashSet<Node> set;
    @Nullable List<@Nullable List<Node>> grid;
    @Nullable Map<String, Node> named;
    @Nullable Map<String, List<Node>> groups;
    @Nullable List<Map<String, Node>> maps;
    @Nullable List<String> tags;
    @Nullable Set<Long> numbers;
    @Nullable Map<String, @Nullable Object> free;
  }

  private static final String UNKNOWN = "unknown-";

  private final Random random;
  private int next;
  final Map<Integer, JsonObject> unknown = new HashMap<>();

  RandomTrees(Random random) {
    this.random = random;
  }

  int nextNumber() {
    return next++;
  }

  /** Returns the members of a stored node that the class does not have. */
  static JsonObject unknownOf(JsonObject node) {
    JsonObject result = new JsonObject();
    node.asMap()
        .forEach((name, value) -> {
          if (name.startsWith(UNKNOWN)) {
            result.add(name, value);
          }
        });
    return result;
  }

  JsonObject node(int depth, boolean keyed) {
    JsonObject node = new JsonObject();
    int no = nextNumber();
    node.addProperty("no", no);
    JsonObject others = new JsonObject();
    for (int i = random.nextInt(3); i > 0; i--) {
      others.add(UNKNOWN + random.nextInt(5), any(2));
    }
    unknown.put(no, others);
    others.asMap().forEach(node::add);
    if (keyed) {
      node.addProperty("name", "n" + no);
    }
    maybe(node, "size", () -> new JsonPrimitive(random.nextInt(5)));
    maybe(
        node,
        "weight",
        () -> JsonParser.parseString("[2.50, 1, 1e2]").getAsJsonArray().get(random.nextInt(3)));
    maybe(node, "tags", () -> list(() -> new JsonPrimitive("t" + random.nextInt(3))));
    maybe(node, "numbers", () -> list(() -> new JsonPrimitive(random.nextInt(100) + (1L << 53))));
    maybe(node, "free", () -> free(2));
    if (depth > 0) {
      Supplier<JsonElement> child = () -> node(depth - 1, false);
      Supplier<JsonElement> orNull = () -> random.nextInt(8) == 0 ? JsonNull.INSTANCE : child.get();
      maybe(node, "inner", child);
      maybe(node, "parts", () -> list(() -> node(depth - 1, true)));
      maybe(node, "loose", () -> list(orNull));
      maybe(node, "array", () -> list(orNull));
      maybe(node, "set", () -> list(child));
      maybe(
          node, "grid", () -> list(() -> random.nextInt(8) == 0 ? JsonNull.INSTANCE : list(child)));
      maybe(node, "named", () -> map(child));
      maybe(node, "groups", () -> map(() -> list(child)));
      maybe(node, "maps", () -> list(() -> map(child)));
    }
    return node;
  }

  private void maybe(JsonObject node, String name, Supplier<JsonElement> value) {
    if (random.nextInt(3) == 0) {
      node.add(name, value.get());
    }
  }

  private JsonArray list(Supplier<JsonElement> element) {
    JsonArray list = new JsonArray();
    for (int i = random.nextInt(4); i > 0; i--) {
      list.add(element.get());
    }
    return list;
  }

  private JsonObject map(Supplier<JsonElement> value) {
    JsonObject map = new JsonObject();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.add("k" + random.nextInt(5), value.get());
    }
    return map;
  }

  /** Free-form JSON whose numbers are kept as they are. */
  private JsonObject free(int depth) {
    JsonObject map = new JsonObject();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.add("f" + random.nextInt(5), any(depth));
    }
    return map;
  }

  private JsonElement any(int depth) {
    return switch (random.nextInt(depth > 0 ? 7 : 4)) {
      case 0 -> new JsonPrimitive("text" + random.nextInt(100));
      case 1 -> new JsonPrimitive(random.nextLong());
      case 2 -> new JsonPrimitive(random.nextBoolean());
      case 3 ->
          JsonParser.parseString("[1, 1.0, 9007199254740993, 1e30]")
              .getAsJsonArray()
              .get(random.nextInt(4));
      case 4 -> free(depth - 1);
      case 5 -> list(() -> any(depth - 1));
      default -> list(() -> free(depth - 1));
    };
  }
}
