// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.schema.Schema;
import dev.coxswain.k8s.schema.ValidationRule;
import java.math.BigDecimal;

/** Adds to the schema of a type what an annotation demands of its values. */
final class Constraints {

  private Constraints() {}

  /**
   * Adds all demands of an annotation.
   *
   * @throws IllegalArgumentException when one does not fit the type
   */
  static void add(JsonObject schema, Schema asked) {
    String type = TypeSchemas.text(schema, "type");
    if (asked.nullable()) {
      schema.addProperty("nullable", true);
    }
    bound(schema, "minimum", asked.minimum(), type);
    bound(schema, "maximum", asked.maximum(), type);
    texts(schema, asked, type);
    length(schema, "min", asked.minLength(), type);
    length(schema, "max", asked.maxLength(), type);
    if (asked.listMapKeys().length > 0) {
      require(type.equals("array"), "listMapKeys", "lists", type);
      schema.addProperty("x-kubernetes-list-type", "map");
      schema.add("x-kubernetes-list-map-keys", list(asked.listMapKeys()));
      for (String key : asked.listMapKeys()) {
        requireKey(schema.getAsJsonObject("items"), key);
      }
    }
    if (!asked.defaultValue().isEmpty()) {
      schema.add("default", value(asked.defaultValue(), type));
    }
    addRules(schema, asked);
  }

  /** A server refuses keys that may be absent: they are required, unless they have a default. */
  private static void requireKey(JsonObject items, String key) {
    if (!(items.get("properties") instanceof JsonObject properties)
        || !(properties.get(key) instanceof JsonObject property)) {
      throw new IllegalArgumentException(
          "listMapKeys has \"%s\", which is no field of the items".formatted(key));
    }
    JsonArray required =
        items.get("required") instanceof JsonArray present ? present : new JsonArray();
    if (!property.has("default") && !required.contains(new JsonPrimitive(key))) {
      required.add(key);
      items.add("required", required);
    }
  }

  private static void texts(JsonObject schema, Schema asked, String type) {
    if (!asked.pattern().isEmpty()) {
      require(type.equals("string"), "pattern", "texts", type);
      schema.addProperty("pattern", asked.pattern());
    }
    if (!asked.format().isEmpty()) {
      schema.addProperty("format", asked.format());
    }
    if (asked.allowed().length > 0) {
      require(type.equals("string"), "allowed", "texts", type);
      schema.add("enum", list(asked.allowed()));
    }
  }

  static void addRules(JsonObject schema, Schema asked) {
    JsonArray rules = new JsonArray();
    for (ValidationRule rule : asked.rules()) {
      JsonObject one = new JsonObject();
      one.addProperty("rule", rule.value());
      put(one, "message", rule.message());
      put(one, "messageExpression", rule.messageExpression());
      put(one, "reason", rule.reason());
      put(one, "fieldPath", rule.fieldPath());
      rules.add(one);
    }
    if (!rules.isEmpty()) {
      schema.add("x-kubernetes-validations", rules);
    }
  }

  private static void bound(JsonObject schema, String name, double value, String type) {
    if (!Double.isNaN(value)) {
      require(type.equals("integer") || type.equals("number"), name, "numbers", type);
      BigDecimal exact = BigDecimal.valueOf(value).stripTrailingZeros();
      schema.add(name, new JsonPrimitive(exact.scale() <= 0 ? exact.toBigIntegerExact() : exact));
    }
  }

  private static void length(JsonObject schema, String end, long value, String type) {
    if (value >= 0) {
      String of =
          switch (type) {
            case "string" -> "Length";
            case "array" -> "Items";
            case "object" -> "Properties";
            default ->
                throw new IllegalArgumentException(
                    end + "Length is for texts, lists and maps, and this is " + type);
          };
      schema.addProperty(end + of, value);
    }
  }

  private static JsonElement value(String text, String type) {
    if (type.equals("string")) {
      return new JsonPrimitive(text);
    }
    try {
      return Json.GSON.fromJson(text, JsonElement.class);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("the defaultValue is not JSON: " + text, e);
    }
  }

  private static void require(boolean fits, String name, String of, String type) {
    if (!fits) {
      throw new IllegalArgumentException(
          "%s is for %s, and this is %s".formatted(name, of, type.isEmpty() ? "any JSON" : type));
    }
  }

  private static JsonArray list(String[] values) {
    JsonArray list = new JsonArray();
    for (String value : values) {
      list.add(value);
    }
    return list;
  }

  private static void put(JsonObject to, String name, String value) {
    if (!value.isEmpty()) {
      to.addProperty(name, value);
    }
  }
}
