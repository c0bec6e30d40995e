// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.resource.JsonEquality;
import org.jspecify.annotations.Nullable;

/**
 * The JSON patch from one object to another. Items of lists are compared with the items of the same
 * {@code name}, or that are equal, as far as both lists begin and end with the same ones; between them
 * items are removed and added as a whole. Lists of the same length without names are compared by the
 * index.
 */
final class JsonDifference {

  private final JsonArray operations = new JsonArray();

  private JsonDifference() {}

  /** Returns the operations. */
  static JsonArray between(JsonObject before, JsonObject after) {
    JsonDifference difference = new JsonDifference();
    difference.objects("", before, after);
    return difference.operations;
  }

  private void values(String path, JsonElement before, @Nullable JsonElement after) {
    if (after == null) {
      add("remove", path, null);
    } else if (JsonEquality.same(before, after)) {
      return;
    } else if (before instanceof JsonObject from && after instanceof JsonObject to) {
      objects(path, from, to);
    } else if (before instanceof JsonArray from && after instanceof JsonArray to) {
      arrays(path, from, to);
    } else {
      add("replace", path, after);
    }
  }

  private void objects(String path, JsonObject before, JsonObject after) {
    for (String name : before.keySet()) {
      values(path + "/" + escaped(name), before.get(name), after.get(name));
    }
    for (String name : after.keySet()) {
      if (!before.has(name)) {
        add("add", path + "/" + escaped(name), after.get(name));
      }
    }
  }

  private void arrays(String path, JsonArray before, JsonArray after) {
    int least = Math.min(before.size(), after.size());
    boolean byIndex = before.size() == after.size() && !isNamed(before) && !isNamed(after);
    int first = byIndex ? least : 0;
    while (first < least && isSame(before.get(first), after.get(first))) {
      first++;
    }
    int last = 0;
    while (last < least - first
        && isSame(before.get(before.size() - 1 - last), after.get(after.size() - 1 - last))) {
      last++;
    }
    for (int i = 0; i < first; i++) {
      values(path + "/" + i, before.get(i), after.get(i));
    }
    for (int i = before.size() - last; i < before.size(); i++) {
      values(path + "/" + i, before.get(i), after.get(i + after.size() - before.size()));
    }
    for (int i = before.size() - last - 1; i >= first; i--) {
      add("remove", path + "/" + i, null);
    }
    for (int i = first; i < after.size() - last; i++) {
      add("add", path + "/" + i, after.get(i));
    }
  }

  private static boolean isNamed(JsonArray items) {
    return !items.isEmpty() && !name(items.get(0)).isEmpty();
  }

  private static boolean isSame(JsonElement before, JsonElement after) {
    String name = name(before);
    return name.isEmpty() ? JsonEquality.same(before, after) : name.equals(name(after));
  }

  /** Returns the name of an item; empty for none. */
  private static String name(JsonElement item) {
    return item instanceof JsonObject object ? Json.text(object, "name") : "";
  }

  private void add(String operation, String path, @Nullable JsonElement value) {
    JsonObject node = new JsonObject();
    node.addProperty("op", operation);
    node.addProperty("path", path);
    if (value != null) {
      node.add("value", value);
    }
    operations.add(node);
  }

  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }
}
