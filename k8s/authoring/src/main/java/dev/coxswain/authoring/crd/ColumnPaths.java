// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds printer columns whose path can match more than once, of which a cluster prints the first match. */
final class ColumnPaths {

  private static final Pattern STEP =
      Pattern.compile(
          "(?<deep>\\.\\.)?"
              + "(?:\\.?(?<field>(?:\\\\.|[^.\\[\\\\])+)"
              + "|\\['(?<quoted>[^']*)'\\]"
              + "|\\[(?<index>-?\\d+)\\]"
              + "|\\[(?<last>-1):\\]"
              + "|\\[\\?\\(@\\.(?<key>[^=!<>()]+?)\\s*==\\s*[^)]*\\)\\]"
              + "|\\[(?<other>[^\\]]*)\\])");

  private ColumnPaths() {}

  /** Returns one line for each such column of a definition. */
  static List<String> warnings(JsonObject definition) {
    List<String> warnings = new ArrayList<>();
    String name = TypeSchemas.text(definition.getAsJsonObject("metadata"), "name");
    if (!(definition.getAsJsonObject("spec").get("versions") instanceof JsonArray versions)) {
      return warnings;
    }
    for (JsonElement element : versions) {
      JsonObject version = element.getAsJsonObject();
      if (version.get("additionalPrinterColumns") instanceof JsonArray columns) {
        JsonObject root = object(object(version, "schema"), "openAPIV3Schema");
        for (JsonElement column : columns) {
          String path = TypeSchemas.text(column.getAsJsonObject(), "jsonPath");
          if (severalMatches(path, root)) {
            warnings.add(
                ("%s: the column \"%s\" of %s shows only the first match of %s, which can match"
                        + " several; select one by the key of its list, as in"
                        + " .status.conditions[?(@.type==\"Ready\")].status")
                    .formatted(
                        name,
                        TypeSchemas.text(column.getAsJsonObject(), "name"),
                        TypeSchemas.text(version, "name"),
                        path));
          }
        }
      }
    }
    return warnings;
  }

  /**
   * Returns whether a path can match several times. Schemas are optional: without one a filter is
   * trusted only in the conditions of a status, which have one of each type.
   */
  static boolean severalMatches(String path, @Nullable JsonObject root) {
    JsonObject at = root;
    String list = "";
    int end = 0;
    Matcher step = STEP.matcher(path);
    while (step.lookingAt()) {
      String field = step.group("field") != null ? step.group("field") : step.group("quoted");
      if (step.group("deep") != null || step.group("other") != null || "*".equals(field)) {
        return true;
      }
      if (field != null) {
        list = field.replaceAll("\\\\(.)", "$1");
        JsonObject below = object(object(at, "properties"), list);
        at = below != null ? below : object(at, "additionalProperties");
      } else {
        if (step.group("key") != null && !isUnique(step.group("key"), list, at)) {
          return true;
        }
        at = object(at, "items");
      }
      end = step.end();
      step.region(end, path.length());
    }
    return end < path.length();
  }

  private static boolean isUnique(String key, String list, @Nullable JsonObject schema) {
    if (schema != null && schema.get("x-kubernetes-list-map-keys") instanceof JsonArray keys) {
      return keys.size() == 1 && keys.contains(new JsonPrimitive(key));
    }
    return list.equals("conditions") && key.equals("type");
  }

  private static @Nullable JsonObject object(@Nullable JsonObject in, String name) {
    return in != null && in.get(name) instanceof JsonObject found ? found : null;
  }
}
