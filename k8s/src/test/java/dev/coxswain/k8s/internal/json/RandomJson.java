// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Random;

/** Random trees, and texts of a tree that differ in white space and escapes. */
final class RandomJson {

  private static final List<String> NAMES =
      List.of(
          "name",
          "namespace",
          "uid",
          "resourceVersion",
          "generation",
          "managedFields",
          "labels",
          "apiVersion",
          "kind",
          "metadata",
          "spec",
          "nam",
          "names",
          "a\"b",
          "\\",
          "ü\u2028",
          "");

  private static final List<String> TEXTS =
      List.of(
          "", "web", "a/b", "{", "]", "\"", "\\\"", "\\", "line\nend", "ü", "\uD83D\uDE00", "null");

  private RandomJson() {}

  static JsonObject object(Random random, int depth) {
    JsonObject object = new JsonObject();
    for (int members = random.nextInt(8); members > 0; members--) {
      object.add(NAMES.get(random.nextInt(NAMES.size())), value(random, depth + 1));
    }
    return object;
  }

  static JsonElement value(Random random, int depth) {
    return switch (random.nextInt(depth < 4 ? 9 : 6)) {
      case 0 -> JsonNull.INSTANCE;
      case 1 -> new JsonPrimitive(random.nextBoolean());
      case 2 -> new JsonPrimitive(random.nextLong());
      case 3 -> new JsonPrimitive(random.nextInt(2_000) - 1_000);
      case 4 -> new JsonPrimitive(random.nextDouble() * 1e6);
      case 5, 6 -> new JsonPrimitive(TEXTS.get(random.nextInt(TEXTS.size())));
      case 7 -> object(random, depth);
      default -> {
        JsonArray array = new JsonArray();
        for (int values = random.nextInt(4); values > 0; values--) {
          array.add(value(random, depth + 1));
        }
        yield array;
      }
    };
  }

  /** Writes a tree with white space and escapes of its own. */
  static String text(JsonElement tree, Random random) {
    String space = List.of("", "", " ", "\n\t").get(random.nextInt(4));
    StringBuilder text = new StringBuilder();
    write(tree, random, space, text);
    return text.toString();
  }

  private static void write(JsonElement tree, Random random, String space, StringBuilder to) {
    to.append(space);
    switch (tree) {
      case JsonObject object -> {
        String comma = "{";
        for (var member : object.entrySet()) {
          to.append(comma).append(space);
          comma = ",";
          write(new JsonPrimitive(member.getKey()), random, "", to);
          to.append(space).append(':');
          write(member.getValue(), random, space, to);
        }
        to.append(comma.equals("{") ? "{" : "").append(space).append('}');
      }
      case JsonArray array -> {
        String comma = "[";
        for (JsonElement value : array) {
          to.append(comma);
          comma = ",";
          write(value, random, space, to);
        }
        to.append(comma.equals("[") ? "[" : "").append(space).append(']');
      }
      case JsonPrimitive value when value.isString() && random.nextInt(8) == 0 -> {
        to.append('"');
        value.getAsString().chars().forEach(c -> to.append("\\u%04x".formatted(c)));
        to.append('"');
      }
      default -> to.append(tree);
    }
    to.append(space);
  }
}
