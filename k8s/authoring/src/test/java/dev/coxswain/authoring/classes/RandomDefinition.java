// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A definition with names that Java refuses, and objects of it. */
final class RandomDefinition {

  private static final List<String> NAMES =
      List.of(
          "foo-bar",
          "fooBar",
          "foo.bar",
          "FooBar",
          "foo_bar",
          "class",
          "hashCode",
          "toString",
          "wait",
          "notify",
          "getClass",
          "clone",
          "finalize",
          "equals",
          "record",
          "var",
          "yield",
          "_",
          "__",
          "$",
          "$ref",
          "a$b",
          "",
          "1st",
          "2",
          "<=",
          "*",
          "é",
          "名",
          "value",
          "values",
          "getMetadata",
          "getKind",
          "Metadata",
          "Kind",
          "setFoo",
          "spec",
          "Spec",
          "SPEC",
          "status",
          "string",
          "String",
          "list",
          "List",
          "map",
          "object",
          "Object",
          "integer",
          "nullable",
          "override",
          "item",
          "items",
          "itemItem",
          "null",
          "true",
          "_value",
          "a b",
          "tab\there",
          "quote\"",
          "back\\slash",
          "\\u0041",
          "line\nfeed",
          "\u0000",
          "\ud83d\ude00",
          "x".repeat(300));

  private static final List<String> VALUES =
      List.of(
          "<",
          "<=",
          ">=",
          "=",
          "*",
          "!",
          "",
          " ",
          "8plus",
          "a-b",
          "a_b",
          "A_B",
          "A_B_2",
          "class",
          "null",
          "true",
          "é",
          "名",
          "\ud83d\ude00",
          "$VALUES",
          "values",
          "\"",
          "\\",
          "\\u0041",
          "\n",
          "_",
          "__",
          "Always",
          "always",
          "x".repeat(300));

  private static final List<String> WORDS =
      List.of(
          "*/", "/*", "\\u0041", "\\", "<b>", "@param", "{@link", "&amp;", "\u0000", "\u2028",
          "plain", "");

  private final Random random;

  RandomDefinition(Random random) {
    this.random = random;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  JsonObject schema(int depth) {
    JsonObject schema = new JsonObject();
    if (random.nextInt(3) == 0) {
      schema.addProperty("description", one(WORDS) + " " + one(WORDS) + one(WORDS));
    }
    switch (random.nextInt(depth > 0 ? 13 : 9)) {
      case 0 -> schema.addProperty("type", "boolean");
      case 1 -> schema.addProperty("type", "number");
      case 2 -> {
        schema.addProperty("type", "integer");
        schema.addProperty("format", one(List.of("int32", "int64")));
      }
      case 3, 4 -> {
        schema.addProperty("type", "string");
        schema.add("enum", values());
      }
      case 5 -> schema.addProperty("x-kubernetes-int-or-string", true);
      case 6 -> {
        schema.addProperty("type", "string");
        schema.addProperty("format", one(List.of("date-time", "date", "byte", "uuid")));
      }
      case 7 -> schema.addProperty("x-kubernetes-preserve-unknown-fields", true);
      case 8 -> schema.addProperty("type", "string");
      case 9 -> {
        schema.addProperty("type", "array");
        schema.add("items", schema(depth - 1));
      }
      case 10 -> {
        schema.addProperty("type", "object");
        schema.add("additionalProperties", schema(depth - 1));
      }
      default -> properties(schema, depth, 1 + random.nextInt(12));
    }
    return schema;
  }

  void properties(JsonObject schema, int depth, int count) {
    schema.addProperty("type", "object");
    JsonObject properties = new JsonObject();
    JsonArray required = new JsonArray();
    for (int i = 0; i < count; i++) {
      String name = one(NAMES);
      properties.add(name, schema(depth - 1));
      if (random.nextBoolean()) {
        required.add(name);
      }
    }
    schema.add("properties", properties);
    schema.add("required", required);
  }

  private JsonArray values() {
    JsonArray values = new JsonArray();
    for (int i = random.nextInt(10); i >= 0; i--) {
      values.add(random.nextInt(10) == 0 ? JsonNull.INSTANCE : new JsonPrimitive(one(VALUES)));
    }
    return values;
  }

  /** Returns an object that the schema admits, with what is required. */
  JsonElement object(JsonObject schema) {
    if (schema.get("enum") instanceof JsonArray values) {
      List<JsonElement> some = values.asList().stream().filter(v -> !v.isJsonNull()).toList();
      return some.isEmpty() ? new JsonPrimitive("any") : one(some);
    }
    if (schema.has("x-kubernetes-int-or-string")) {
      return random.nextBoolean() ? new JsonPrimitive(7) : new JsonPrimitive("25%");
    }
    String type = schema.has("type") ? schema.get("type").getAsString() : "";
    String format = schema.has("format") ? schema.get("format").getAsString() : "";
    return switch (type) {
      case "boolean" -> new JsonPrimitive(random.nextBoolean());
      case "number" -> new JsonPrimitive(random.nextInt(100) + 0.5);
      case "integer" ->
          format.equals("int32")
              ? new JsonPrimitive(random.nextInt())
              : new JsonPrimitive(random.nextLong());
      case "string" ->
          new JsonPrimitive(
              switch (format) {
                case "date-time" -> "2026-01-01T00:00:00Z";
                case "date" -> "2026-01-01";
                case "byte" -> "AQI=";
                default -> one(VALUES);
              });
      case "array" -> {
        JsonArray array = new JsonArray();
        for (int i = random.nextInt(3); i >= 0; i--) {
          array.add(object(schema.getAsJsonObject("items")));
        }
        yield array;
      }
      case "object" -> members(schema);
      default -> new JsonPrimitive("free");
    };
  }

  private JsonObject members(JsonObject schema) {
    JsonObject made = new JsonObject();
    if (schema.get("additionalProperties") instanceof JsonObject of) {
      made.add(one(NAMES), object(of));
    }
    if (schema.get("properties") instanceof JsonObject properties) {
      List<JsonElement> required = new ArrayList<>(schema.getAsJsonArray("required").asList());
      properties
          .entrySet()
          .forEach(member -> {
            if (required.contains(new JsonPrimitive(member.getKey())) || random.nextBoolean()) {
              made.add(member.getKey(), object(member.getValue().getAsJsonObject()));
            }
          });
    }
    return made;
  }
}
