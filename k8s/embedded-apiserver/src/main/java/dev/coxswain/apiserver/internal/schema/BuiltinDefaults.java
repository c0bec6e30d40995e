// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Fields of built-in types that have a default, or that the real server prints even when they are
 * empty; read from {@code defaults.txt}. Any thread.
 *
 * <p>One line per type, or per field of a type (as in {@code Job.spec}): name, then {@code
 * field:value} with the value in JSON without spaces.
 */
public final class BuiltinDefaults {
  private static final Map<String, Map<String, JsonNode>> FIELDS = read();

  /** Templates of kinds without rules of their own, which keep what was sent. */
  private static final Set<String> AS_SENT =
      Set.of("PodTemplate.template", "ReplicationControllerSpec.template");

  private BuiltinDefaults() {}

  private static Map<String, Map<String, JsonNode>> read() {
    Map<String, Map<String, JsonNode>> table = new HashMap<>();
    for (String line : Json.lines(BuiltinDefaults.class, "defaults.txt")) {
      List<String> words = Json.words(line);
      Map<String, JsonNode> fields = new LinkedHashMap<>();
      for (String word : words.subList(1, words.size())) {
        int colon = word.indexOf(':');
        fields.put(word.substring(0, colon), Json.parse(word.substring(colon + 1)));
      }
      table.put(words.getFirst(), fields);
    }
    return table;
  }

  /** Adds the top-level {@code spec} and {@code status} that every object of its kind has. */
  public static void sections(ObjectNode object, Schema schema) {
    for (String section : List.of("spec", "status")) {
      Schema field = schema.properties().get(section);
      if (field != null && !field.custom() && field.type() == Schema.Type.OBJECT) {
        Json.ensure(object, section);
      }
    }
  }

  /** Adds missing fields to an object and everything in it. */
  public static void fill(ObjectNode object, Schema schema) {
    fill(object, schema, "");
  }

  private static void fill(ObjectNode object, Schema schema, String place) {
    if (schema.custom() || AS_SENT.contains(place)) {
      return;
    }
    String type = String.valueOf(schema.reference());
    for (String key : List.of(place, type)) {
      FIELDS
          .getOrDefault(key, Map.of())
          .forEach((field, value) -> {
            if (!object.has(field)) {
              object.set(field, value.deepCopy());
            }
          });
    }
    for (Map.Entry<String, JsonNode> e : new ArrayList<>(object.properties())) {
      Schema inner = schema.field(e.getKey());
      if (e.getValue() instanceof ObjectNode child) {
        fill(child, inner, type + "." + e.getKey());
      } else if (inner.type() == Schema.Type.LIST) {
        for (JsonNode item : e.getValue()) {
          if (item instanceof ObjectNode child) {
            fill(child, inner.items(), "");
          }
        }
      }
    }
  }
}
