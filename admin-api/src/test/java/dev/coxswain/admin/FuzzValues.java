// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Random;

/** Makes values that a schema of the OpenAPI document allows, and values that nothing allows. */
public final class FuzzValues {

  private static final List<String> NASTY =
      List.of(
          "",
          " ",
          "..",
          "a/b",
          "null",
          "-1",
          "1e9",
          "%",
          "\u0000",
          "\u202e\uD83D\uDE00",
          "<script>alert(1)</script>",
          "'; --",
          "${jndi:x}",
          "a".repeat(600),
          "99999999999999999999",
          "*".repeat(200));

  private final JsonObject document;
  private final Random random;

  public FuzzValues(JsonObject document, Random random) {
    this.document = document;
    this.random = random;
  }

  public JsonObject resolve(JsonObject node) {
    String ref = node.getString("$ref");
    if (ref == null) {
      return node;
    }
    String name = ref.substring(ref.lastIndexOf('/') + 1);
    String kind = ref.contains("/parameters/") ? "parameters" : "schemas";
    return document.getJsonObject("components").getJsonObject(kind).getJsonObject(name);
  }

  public <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  public boolean chance(double p) {
    return random.nextDouble() < p;
  }

  public String nasty() {
    if (chance(0.5)) {
      return oneOf(NASTY);
    }
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(20); i > 0; i--) {
      text.append((char) (random.nextBoolean() ? random.nextInt(128) : random.nextInt(0xD800)));
    }
    return text.toString();
  }

  /** Returns a value that the schema allows, and that means no more than it says. */
  public Object valid(JsonObject unresolved) {
    JsonObject schema = resolve(unresolved);
    if (schema.containsKey("const")) {
      return schema.getValue("const");
    }
    if (schema.containsKey("enum")) {
      JsonArray values = schema.getJsonArray("enum");
      return values.getValue(random.nextInt(values.size()));
    }
    if (schema.containsKey("oneOf")) {
      JsonArray choices = schema.getJsonArray("oneOf");
      return valid(choices.getJsonObject(random.nextInt(choices.size())));
    }
    return switch (schema.getString("type", "object")) {
      case "boolean" -> random.nextBoolean();
      case "integer" -> integer(schema);
      case "array" -> {
        JsonArray array = new JsonArray();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          array.add(valid(schema.getJsonObject("items")));
        }
        yield array;
      }
      case "string" -> text(schema);
      default -> object(schema);
    };
  }

  private long integer(JsonObject schema) {
    long min = schema.getLong("minimum", 0L);
    long max = schema.getLong("maximum", 1_000_000L);
    return chance(0.2) ? min : chance(0.2) ? max : min + (long) (random.nextDouble() * (max - min));
  }

  private String text(JsonObject schema) {
    if (schema.containsKey("examples") && chance(0.9)) {
      JsonArray examples = schema.getJsonArray("examples");
      return examples.getString(random.nextInt(examples.size()));
    }
    if (schema.getString("description", "").startsWith("In the form of Kubernetes")) {
      return 1 + random.nextInt(100) + oneOf(List.of("ms", "s", "m", "h"));
    }
    if (schema.getString("format", "").equals("date-time")) {
      return "20%02d-0%d-1%dT10:02:1%d%s"
          .formatted(
              random.nextInt(99),
              1 + random.nextInt(9),
              random.nextInt(10),
              random.nextInt(10),
              oneOf(List.of("Z", ".123456789Z", "+02:00")));
    }
    String pattern = schema.getString("pattern", "");
    if (pattern.startsWith("^(none")) {
      return oneOf(List.of("none", "relist", "requeueAfter=5s"));
    }
    if (pattern.startsWith("^(\"")) {
      return oneOf(List.of("\"17\"", "*", "\"0\""));
    }
    if (pattern.startsWith("^[0-9a-f]{12}")) {
      return "%012x".formatted(random.nextLong() >>> 16);
    }
    return oneOf(List.of("a", "b0", "object7", "TimeoutException", "good"));
  }

  private JsonObject object(JsonObject schema) {
    JsonObject value = new JsonObject();
    JsonObject properties = schema.getJsonObject("properties", new JsonObject());
    JsonArray required = schema.getJsonArray("required", new JsonArray());
    for (String name : properties.fieldNames()) {
      if (required.contains(name) || chance(0.4)) {
        value.put(name, valid(properties.getJsonObject(name)));
      }
    }
    return value;
  }

  /** Returns the text of a body with something wrong, or at least odd, about it. */
  public String broken(JsonObject body) {
    List<String> fields = body.fieldNames().stream().toList();
    JsonObject copy = body.copy();
    return switch (random.nextInt(9)) {
      case 0 -> copy.put(oneOf(fields), junk()).encode();
      case 1 -> {
        copy.remove(oneOf(fields));
        yield copy.encode();
      }
      case 2 -> copy.put(nasty(), junk()).encode();
      case 3 -> copy.encode().substring(0, random.nextInt(copy.encode().length()));
      case 4 -> nasty();
      case 5 -> "[".repeat(1 + random.nextInt(10_000));
      case 6 -> copy.put("reason", "r".repeat(70_000)).encode();
      case 7 -> copy.encode() + nasty();
      default -> String.valueOf(junk());
    };
  }

  private Object junk() {
    return switch (random.nextInt(7)) {
      case 0 -> nasty();
      case 1 -> random.nextLong();
      case 2 -> random.nextDouble() * 1e300;
      case 3 -> random.nextBoolean();
      case 4 -> new JsonArray().add(nasty()).add(new JsonObject());
      case 5 -> new JsonObject().put(nasty(), nasty());
      default -> "x".repeat(random.nextInt(2000));
    };
  }
}
