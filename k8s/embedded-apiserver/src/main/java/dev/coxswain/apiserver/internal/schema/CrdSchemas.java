// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.coxswain.apiserver.internal.cel.CelRule;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the {@code openAPIV3Schema} of a custom resource definition; any thread. */
public final class CrdSchemas {
  /** What each whole object may have. */
  private static final Set<String> META = Set.of("apiVersion", "kind", "metadata");

  private CrdSchemas() {}

  /** Returns the shape of whole objects; {@code schema} null = keep everything. */
  public static Schema root(@Nullable JsonNode schema) {
    Schema root =
        schema instanceof ObjectNode ? read(schema, true) : new Schema(Schema.Type.OBJECT);
    if (root.type != Schema.Type.OBJECT) {
      Schema object = new Schema(Schema.Type.OBJECT);
      object.description = root.description;
      object.preserveUnknown = root.preserveUnknown || root.type == Schema.Type.MAP;
      root = object;
    }
    if (!(schema instanceof ObjectNode)) {
      root.preserveUnknown = true;
    }
    Map<String, Schema> properties = new LinkedHashMap<>(root.properties);
    properties.put("apiVersion", new Schema(Schema.Type.TEXT));
    properties.put("kind", new Schema(Schema.Type.TEXT));
    properties.put("metadata", TypeTable.type("ObjectMeta"));
    root.properties = properties;
    root.custom = true;
    root.source = schema instanceof ObjectNode given ? given : null;
    if (schema != null && schema.path("properties").get("metadata") instanceof ObjectNode given) {
      root.metadata = read(given);
    }
    return root;
  }

  /** Reads one schema node. */
  static Schema read(JsonNode node) {
    return read(node, false);
  }

  private static Schema read(JsonNode node, boolean resource) {
    Schema schema = new Schema(type(node));
    schema.custom = true;
    schema.nullable = node.path("nullable").asBoolean();
    schema.preserveUnknown = node.path("x-kubernetes-preserve-unknown-fields").asBoolean();
    schema.embedded = node.path("x-kubernetes-embedded-resource").asBoolean();
    schema.defaultValue = node.get("default");
    schema.description = Json.text(node, "description");
    if (node.get("properties") instanceof ObjectNode fields) {
      Map<String, Schema> properties = new LinkedHashMap<>();
      for (Map.Entry<String, JsonNode> e : fields.properties()) {
        properties.put(e.getKey(), read(e.getValue()));
      }
      schema.properties = properties;
    }
    JsonNode additional = node.get("additionalProperties");
    if (additional instanceof ObjectNode) {
      schema.element = read(additional);
    }
    JsonNode items = node.get("items");
    if (items instanceof ObjectNode) {
      schema.element = read(items);
    }
    merge(schema, node);
    schema.rules = rules(node);
    schema.expressions = CelRule.of(node, resource);
    return schema;
  }

  /** Returns what is wrong with a default value under the schema that declares it. */
  public static List<Cause> checkDefault(JsonNode value, JsonNode node, String path) {
    Schema schema = read(node);
    if (!known(value, schema)) {
      return new Causes().at(path).invalid(value.toString(), "must not have unknown fields");
    }
    List<Cause> causes = new ArrayList<>(Validator.validate(null, value, schema, ""));
    causes.addAll(Expressions.validate(null, value, schema, causes));
    return causes.stream()
        .map(cause -> {
          boolean inside = !cause.field().isEmpty() && !cause.field().equals("<nil>");
          String field = inside ? path + "." + cause.field() : path;
          return new Cause(cause.reason(), field, cause.message());
        })
        .toList();
  }

  /** Returns whether nothing in the value would be dropped. */
  private static boolean known(JsonNode value, Schema schema) {
    if (value.isArray()) {
      return value.valueStream().allMatch(item -> known(item, schema.items()));
    }
    for (Map.Entry<String, JsonNode> e : value.properties()) {
      boolean meta = schema.embedded && META.contains(e.getKey());
      if (!meta
          && !(schema.hasField(e.getKey()) && known(e.getValue(), schema.field(e.getKey())))) {
        return false;
      }
    }
    return true;
  }

  private static Schema.Type type(JsonNode node) {
    if (node.path("x-kubernetes-int-or-string").asBoolean()) {
      return Schema.Type.INT_OR_TEXT;
    }
    return switch (Json.text(node, "type")) {
      case "object" ->
          node.has("additionalProperties") && !node.has("properties")
              ? Schema.Type.MAP
              : Schema.Type.OBJECT;
      case "array" -> Schema.Type.LIST;
      case "string" -> Schema.Type.TEXT;
      case "integer" -> Schema.Type.INTEGER;
      case "number" -> Schema.Type.NUMBER;
      case "boolean" -> Schema.Type.BOOLEAN;
      default -> Schema.Type.ANY;
    };
  }

  private static void merge(Schema schema, JsonNode node) {
    switch (Json.text(node, "x-kubernetes-list-type")) {
      case "map" -> {
        schema.merge = Schema.Merge.GRANULAR;
        schema.keys = Json.texts(node.get("x-kubernetes-list-map-keys"));
      }
      case "set" -> schema.merge = Schema.Merge.SET;
      default -> {}
    }
    if (Json.text(node, "x-kubernetes-map-type").equals("atomic")) {
      schema.merge = Schema.Merge.ATOMIC;
    }
  }

  private static @Nullable Rules rules(JsonNode n) {
    JsonNode not = n.get("not");
    return new Rules(
        Json.texts(n.get("required")),
        list(n.get("enum")),
        n.has("minimum") ? n.get("minimum").decimalValue() : null,
        n.has("maximum") ? n.get("maximum").decimalValue() : null,
        n.path("exclusiveMinimum").asBoolean(),
        n.path("exclusiveMaximum").asBoolean(),
        n.has("multipleOf") ? n.get("multipleOf").decimalValue() : null,
        n.path("minLength").asInt(-1),
        n.path("maxLength").asInt(-1),
        n.path("minItems").asInt(-1),
        n.path("maxItems").asInt(-1),
        n.path("uniqueItems").asBoolean(),
        n.path("minProperties").asInt(-1),
        n.path("maxProperties").asInt(-1),
        pattern(Json.text(n, "pattern")),
        Json.text(n, "format"),
        schemas(n.get("allOf")),
        schemas(n.get("anyOf")),
        schemas(n.get("oneOf")),
        not instanceof ObjectNode ? read(not) : null);
  }

  private static @Nullable Pattern pattern(String text) {
    try {
      return text.isEmpty() ? null : Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      return null; // refused when the definition is created
    }
  }

  private static List<JsonNode> list(@Nullable JsonNode node) {
    List<JsonNode> out = new ArrayList<>();
    if (node instanceof ArrayNode array) {
      array.forEach(out::add);
    }
    return out;
  }

  private static List<Schema> schemas(@Nullable JsonNode node) {
    List<Schema> out = new ArrayList<>();
    if (node instanceof ArrayNode array) {
      array.forEach(item -> out.add(read(item)));
    }
    return out;
  }
}
