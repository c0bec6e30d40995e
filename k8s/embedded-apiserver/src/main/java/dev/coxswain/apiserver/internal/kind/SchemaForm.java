// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.cel.CelException;
import dev.coxswain.apiserver.internal.cel.CelRule;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.schema.CrdSchemas;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Checks one schema of a definition, node by node; any thread. */
final class SchemaForm {
  private static final List<String> TYPES =
      List.of("array", "boolean", "integer", "number", "object", "string");
  private static final List<String> NOT_SUPPORTED =
      List.of("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref");
  private static final List<String> REASONS =
      List.of(
          "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired");

  private final Causes causes;

  private SchemaForm(Causes causes) {
    this.causes = causes;
  }

  /** Adds what is wrong with a whole schema. */
  static void check(JsonNode schema, String path, Causes causes) {
    new SchemaForm(causes).node(schema, path, "");
    causes.addAll(StructuralForm.check(schema, path));
    if (causes.isEmpty()) { // values can be held against a schema that is one
      new SchemaForm(causes).defaults(schema, path);
    }
  }

  /**
   * Checks one node.
   *
   * @param unordered path of the list around it whose items have no identity over time, or empty
   */
  private void node(JsonNode s, String path, String unordered) {
    for (String field : NOT_SUPPORTED) {
      if (s.has(field)) {
        causes.forbidden(path + "." + field, field + " is not supported");
      }
    }
    String type = Json.text(s, "type");
    if (type.equals("null")) {
      causes.forbidden(
          path + ".type", "type cannot be set to null, use nullable as an alternative");
    } else if (!type.isEmpty() && !TYPES.contains(type)) {
      causes.add(unsupported(path + ".type", type, TYPES));
    }
    if (s.path("items").isArray()) {
      causes.forbidden(path + ".items", "items must be a schema object and not an array");
    }
    if (s.path("uniqueItems").asBoolean()) {
      causes.forbidden(
          path + ".uniqueItems",
          "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    JsonNode additional = s.path("additionalProperties");
    if (additional.isBoolean() && !additional.booleanValue()) {
      causes.forbidden(
          path + ".additionalProperties", "additionalProperties cannot be set to false");
    } else if (additional.isObject() && !s.path("properties").isEmpty()) {
      causes.forbidden(
          path + ".additionalProperties",
          "additionalProperties and properties are mutual exclusive");
    }
    extensions(s, type, path);
    lists(s, type, path);
    pattern(s, path);
    expressions(s, path, unordered);
    children(s, path, unordered);
  }

  private void children(JsonNode s, String path, String unordered) {
    s.path("properties")
        .properties()
        .forEach(e -> node(e.getValue(), path + ".properties[" + e.getKey() + "]", unordered));
    for (String field : List.of("items", "additionalProperties", "not")) {
      if (s.path(field).isObject()) {
        boolean loses =
            field.equals("items") && !Json.text(s, "x-kubernetes-list-type").equals("map");
        node(s.path(field), path + "." + field, loses && unordered.isEmpty() ? path : unordered);
      }
    }
    for (String field : List.of("allOf", "oneOf", "anyOf")) {
      int i = 0;
      for (JsonNode part : s.path(field)) {
        node(part, path + "." + field + "[" + i++ + "]", unordered);
      }
    }
  }

  private static Cause unsupported(String field, String value, List<String> supported) {
    return Cause.notSupported(
        field,
        Cause.quote(value),
        String.join(", ", supported.stream().map(Cause::quote).toList()));
  }

  private void extensions(JsonNode s, String type, String path) {
    String preserve = "x-kubernetes-preserve-unknown-fields";
    if (s.path(preserve).isBoolean() && !s.path(preserve).booleanValue()) {
      causes.invalid(path + "." + preserve, "false", "must be true or undefined");
    }
    if (s.path("x-kubernetes-int-or-string").asBoolean() && !type.isEmpty()) {
      causes.invalidText(
          path + ".type", type, "must be empty if x-kubernetes-int-or-string is true");
    }
    String map = Json.text(s, "x-kubernetes-map-type");
    if (!map.isEmpty()) {
      if (!map.equals("atomic") && !map.equals("granular")) {
        causes.add(
            unsupported(path + ".x-kubernetes-map-type", map, List.of("atomic", "granular")));
      }
      needs(type, "object", "x-kubernetes-map-type is specified", path);
    }
  }

  private void needs(String type, String wanted, String because, String path) {
    String why = "must be " + wanted + " if " + because;
    if (type.isEmpty()) {
      causes.required(path + ".type", why);
    } else if (!type.equals(wanted)) {
      causes.invalidText(path + ".type", type, why);
    }
  }

  private void lists(JsonNode s, String type, String path) {
    String list = Json.text(s, "x-kubernetes-list-type");
    JsonNode keys = s.path("x-kubernetes-list-map-keys");
    String listPath = path + ".x-kubernetes-list-type";
    if (!list.isEmpty()) {
      if (!List.of("atomic", "set", "map").contains(list)) {
        causes.add(unsupported(listPath, list, List.of("atomic", "set", "map")));
      }
      needs(type, "array", "x-kubernetes-list-type is specified", path);
    }
    if (!keys.isEmpty() && !list.equals("map")) {
      String why = "must be map if x-kubernetes-list-map-keys is non-empty";
      causes.add(
          list.isEmpty() ? Cause.required(listPath, why) : Cause.invalidText(listPath, list, why));
    }
    if (list.equals("map")) {
      keys(s, keys, path);
    }
    if (list.equals("set")) {
      JsonNode items = s.path("items");
      if (items.path("nullable").asBoolean()) {
        causes.forbidden(
            path + ".items.nullable", "cannot be nullable when x-kubernetes-list-type is set");
      }
      if (Json.text(items, "type").equals("object")
          && !Json.text(items, "x-kubernetes-map-type").equals("atomic")) {
        causes.invalidText(
            path + ".items.x-kubernetes-map-type",
            Json.text(items, "x-kubernetes-map-type"),
            "must be atomic as item of a list with x-kubernetes-list-type=set");
      }
      if (Json.text(items, "type").equals("array")
          && !List.of("", "atomic").contains(Json.text(items, "x-kubernetes-list-type"))) {
        causes.invalidText(
            path + ".items.x-kubernetes-list-type",
            Json.text(items, "x-kubernetes-list-type"),
            "must be atomic as item of a list with x-kubernetes-list-type=set");
      }
    }
  }

  private void keys(JsonNode s, JsonNode keys, String path) {
    String keyPath = path + ".x-kubernetes-list-map-keys";
    if (keys.isEmpty()) {
      causes.required(keyPath, "must not be empty if x-kubernetes-list-type is map");
    }
    JsonNode items = s.path("items");
    if (!items.isObject()) {
      causes.required(path + ".items", "must have a schema if x-kubernetes-list-type is map");
      return;
    }
    if (!Json.text(items, "type").equals("object")) {
      causes.invalidText(
          path + ".items.type",
          Json.text(items, "type"),
          "must be object if parent array's x-kubernetes-list-type is map");
    }
    if (items.path("nullable").asBoolean()) {
      causes.forbidden(
          path + ".items.nullable", "cannot be nullable when x-kubernetes-list-type is map");
    }
    Set<String> seen = new HashSet<>();
    for (JsonNode k : keys) {
      String key = k.asText();
      JsonNode property = items.path("properties").path(key);
      String where = path + ".items.properties[" + key + "]";
      if (!seen.add(key)) {
        causes.invalid(keyPath, keys.toString(), "must not contain duplicate entries");
      } else if (property.isMissingNode()) {
        causes.invalid(keyPath, keys.toString(), "entries must all be names of item properties");
      } else if (List.of("array", "object").contains(Json.text(property, "type"))) {
        causes.invalidText(
            where + ".type",
            Json.text(property, "type"),
            "must be a scalar type if parent array's x-kubernetes-list-type is map");
      } else if (!property.has("default")
          && items.path("required").valueStream().noneMatch(r -> r.asText().equals(key))) {
        causes.required(
            where + ".default",
            "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
      }
    }
  }

  private void pattern(JsonNode s, String path) {
    String pattern = Json.text(s, "pattern");
    try {
      if (!pattern.isEmpty()) {
        Pattern compiled = Pattern.compile(pattern);
        assert compiled.flags() == 0;
      }
    } catch (PatternSyntaxException e) {
      causes.invalidText(
          path + ".pattern",
          pattern,
          "must be a valid regular expression, but isn't: " + e.getDescription());
    }
  }

  private void expressions(JsonNode s, String path, String unordered) {
    int i = 0;
    for (JsonNode rule : s.path("x-kubernetes-validations")) {
      String where = path + ".x-kubernetes-validations[" + i++ + "]";
      String text = Json.text(rule, "rule");
      String message = Json.text(rule, "message");
      if (text.isBlank()) {
        causes.required(where + ".rule", "rule is not specified");
        continue;
      }
      if (rule.has("message") && message.isBlank()) {
        causes.invalidText(where + ".message", message, "message must be non-empty if specified");
      } else if (message.strip().contains("\n")) {
        causes.invalidText(where + ".message", message, "message must not contain line breaks");
      } else if (message.isEmpty() && text.strip().contains("\n")) {
        causes.required(
            where + ".message", "message must be specified if rule contains line breaks");
      }
      String reason = Json.text(rule, "reason");
      if (!reason.isEmpty() && !REASONS.contains(reason)) {
        causes.add(unsupported(where + ".reason", reason, REASONS));
      }
      compiles(where + ".rule", text);
      if (!unordered.isEmpty() && text.contains("oldSelf")) {
        causes.invalidText(
            where + ".rule",
            text,
            "oldSelf cannot be used on the uncorrelatable portion of the schema within "
                + unordered);
      }
      if (!Json.text(rule, "messageExpression").isBlank()) {
        compiles(where + ".messageExpression", Json.text(rule, "messageExpression"));
      }
      if (rule.path("optionalOldSelf").isBoolean() && !text.contains("oldSelf")) {
        causes.invalid(
            where + ".optionalOldSelf",
            rule.path("optionalOldSelf").toString(),
            "may not be set if oldSelf is not used in rule");
      }
    }
  }

  private void compiles(String where, String text) {
    try {
      CelRule.verify(text);
    } catch (CelException e) {
      causes.invalidText(where, text, "compilation failed: " + e.getMessage());
    }
  }

  private void defaults(JsonNode s, String path) {
    JsonNode value = s.get("default");
    if (value != null) {
      causes.addAll(CrdSchemas.checkDefault(value, s, path + ".default"));
    }
    s.path("properties")
        .properties()
        .forEach(e -> defaults(e.getValue(), path + ".properties[" + e.getKey() + "]"));
    for (String field : List.of("items", "additionalProperties")) {
      if (s.path(field).isObject()) {
        defaults(s.path(field), path + "." + field);
      }
    }
  }
}
