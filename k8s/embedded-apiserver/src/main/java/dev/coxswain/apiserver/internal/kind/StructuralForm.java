// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the schema of a definition is structural: types are defined outside of logical
 * combinations, and fields in a combination are defined outside of it as well. Any thread.
 */
final class StructuralForm {
  private enum Level {
    ROOT("must not be empty at the root"),
    ITEM("must not be empty for specified array items"),
    FIELD("must not be empty for specified object fields");

    private final String untyped;

    Level(String untyped) {
      this.untyped = untyped;
    }
  }

  private static final String PRESERVE = "x-kubernetes-preserve-unknown-fields";
  private static final String EMBEDDED = "x-kubernetes-embedded-resource";
  private static final String INT_OR_STRING = "x-kubernetes-int-or-string";

  /**
   * The keywords that are forbidden in a combination, with the reason; absent, empty and false are
   * allowed.
   */
  private static final Map<String, String> FORBIDDEN =
      Map.ofEntries(
          Map.entry("type", "must be empty to be structural"),
          Map.entry("additionalProperties", "must be undefined to be structural"),
          Map.entry("default", "must be undefined to be structural"),
          Map.entry("title", "must be empty to be structural"),
          Map.entry("description", "must be empty to be structural"),
          Map.entry("nullable", "must be false to be structural"),
          Map.entry("externalDocs", "must be undefined to be structural"),
          Map.entry(PRESERVE, "must be false to be structural"),
          Map.entry(EMBEDDED, "must be false to be structural"),
          Map.entry(INT_OR_STRING, "must be false to be structural"),
          Map.entry("x-kubernetes-list-map-keys", "must be empty to be structural"),
          Map.entry("x-kubernetes-list-type", "must be undefined to be structural"),
          Map.entry("x-kubernetes-map-type", "must be undefined to be structural"),
          Map.entry("x-kubernetes-validations", "must be empty to be structural"));

  private final Causes causes = new Causes();

  private StructuralForm() {}

  /** Returns what is not structural, sorted. */
  static List<Cause> check(JsonNode schema, String path) {
    StructuralForm form = new StructuralForm();
    form.invariants(schema, Level.ROOT, path);
    form.complete(schema, schema, path, path, false);
    form.causes.sort(Comparator.comparing(c -> c.field() + ": " + c.message()));
    return form.causes;
  }

  private void invariants(JsonNode s, Level level, String path) {
    String type = Json.text(s, "type");
    if (type.equals("array") && !s.path("items").isObject()) {
      causes.required(path + ".items", "must be specified");
    }
    if (s.path("items").isObject()) {
      invariants(s.path("items"), Level.ITEM, path + ".items");
    }
    s.path("properties")
        .properties()
        .forEach(e -> invariants(e.getValue(), Level.FIELD, property(path, e.getKey())));
    if (given(s, "additionalProperties")) {
      if (level == Level.ROOT) {
        causes.forbidden(path + ".additionalProperties", "must not be used at the root");
      }
      if (s.path("additionalProperties").isObject()) {
        invariants(s.path("additionalProperties"), Level.FIELD, path + ".additionalProperties");
      }
    }
    boolean intOrString = s.path(INT_OR_STRING).asBoolean();
    for (String field : List.of(PRESERVE, EMBEDDED)) {
      if (intOrString && s.path(field).asBoolean()) {
        causes.invalid(
            path + "." + field, "true", "must be false if " + INT_OR_STRING + " is true");
      }
    }
    combinations(s, path, true);
    typed(s, type, level, path);
    metadata(s, level, path);
  }

  private void typed(JsonNode s, String type, Level level, String path) {
    boolean embedded = s.path(EMBEDDED).asBoolean();
    boolean preserve = s.path(PRESERVE).asBoolean();
    String object = "must be object if " + EMBEDDED + " is true";
    if (embedded && !type.equals("object")) {
      causes.add(
          type.isEmpty()
              ? Cause.required(path + ".type", object)
              : Cause.invalidText(path + ".type", type, object));
    } else if (type.isEmpty() && !s.path(INT_OR_STRING).asBoolean() && !preserve) {
      causes.required(path + ".type", level.untyped);
    }
    if (embedded && given(s, "additionalProperties")) {
      causes.forbidden(
          path + ".additionalProperties", "must not be used if " + EMBEDDED + " is set");
    }
    if (level == Level.ROOT && !type.isEmpty() && !type.equals("object")) {
      causes.invalidText(path + ".type", type, "must be object at the root");
    }
    if (embedded && !preserve && s.path("properties").isEmpty()) {
      causes.required(
          path + ".properties",
          "must not be empty if " + EMBEDDED + " is true without " + PRESERVE);
    }
  }

  /** The parts of an object that the server itself describes may be restricted a little only. */
  private void metadata(JsonNode s, Level level, String path) {
    if (level != Level.ROOT && !s.path(EMBEDDED).asBoolean()) {
      return;
    }
    JsonNode properties = s.path("properties");
    for (String field : List.of("kind", "apiVersion")) {
      if (properties.has(field) && !Json.text(properties.get(field), "type").equals("string")) {
        causes.invalidText(
            property(path, field) + ".type",
            Json.text(properties.get(field), "type"),
            "must be string");
      }
    }
    if (!(properties.get("metadata") instanceof ObjectNode meta)) {
      return;
    }
    String where = property(path, "metadata");
    if (!Json.text(meta, "type").equals("object")) {
      causes.invalidText(where + ".type", Json.text(meta, "type"), "must be object");
    }
    boolean more = false;
    for (Map.Entry<String, JsonNode> e : meta.properties()) {
      more |= !Set.of("type", "properties", "description").contains(e.getKey());
    }
    for (Map.Entry<String, JsonNode> e : meta.path("properties").properties()) {
      more |= !Set.of("name", "generateName").contains(e.getKey());
    }
    if (level == Level.ROOT && more) {
      causes.forbidden(
          where,
          "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  private void combinations(JsonNode s, String path, boolean outer) {
    for (String kind : List.of("anyOf", "allOf", "oneOf")) {
      int i = 0;
      for (JsonNode part : s.path(kind)) {
        String here = path + "." + kind + "[" + i + "]";
        boolean first = i++ == 0;
        boolean exempt =
            outer
                && s.path(INT_OR_STRING).asBoolean()
                && (kind.equals("anyOf") ? intOrString(s) : first && intOrString(part));
        if (!exempt) {
          nested(part, here);
        }
      }
    }
    if (s.path("not").isObject()) {
      nested(s.path("not"), path + ".not");
    }
  }

  /** Returns true for the only combination that may have types: integer or string. */
  private static boolean intOrString(JsonNode s) {
    JsonNode any = s.path("anyOf");
    return any.size() == 2
        && any.get(0).equals(Json.object().put("type", "integer"))
        && any.get(1).equals(Json.object().put("type", "string"));
  }

  private void nested(JsonNode s, String path) {
    combinations(s, path, false);
    if (s.path("items").isObject()) {
      nested(s.path("items"), path + ".items");
    }
    s.path("properties")
        .properties()
        .forEach(e -> nested(e.getValue(), property(path, e.getKey())));
    FORBIDDEN.forEach((field, why) -> {
      if (given(s, field)) {
        causes.forbidden(path + "." + field, why);
      }
    });
    if (s.path("properties").has("metadata")) {
      causes.forbidden(property(path, "metadata"), "must not be specified in a nested context");
    }
  }

  private static boolean given(JsonNode s, String field) {
    JsonNode value = s.get(field);
    return value != null
        && !value.isNull()
        && !(value.isBoolean() && !value.booleanValue() && !field.equals("default"))
        && !(value.isTextual() && value.textValue().isEmpty())
        && !(value.isArray() && value.isEmpty());
  }

  /** What combinations of {@code rules} speak of must exist in {@code outside}. */
  private void complete(
      @Nullable JsonNode outside, JsonNode rules, String path, String from, boolean inside) {
    if (inside && outside == null) {
      causes.required(path, "because it is defined in " + from);
      return;
    }
    JsonNode there = outside == null ? Json.object() : outside;
    for (String kind : List.of("anyOf", "allOf", "oneOf")) {
      int i = 0;
      for (JsonNode part : rules.path(kind)) {
        complete(there, part, path, from + "." + kind + "[" + i++ + "]", true);
      }
    }
    if (rules.path("not").isObject()) {
      complete(there, rules.path("not"), path, from + ".not", true);
    }
    if (rules.path("items").isObject()) {
      complete(there.get("items"), rules.path("items"), path + ".items", from + ".items", inside);
    }
    boolean open = there.path("additionalProperties").isObject();
    for (Map.Entry<String, JsonNode> e : rules.path("properties").properties()) {
      String name = e.getKey();
      JsonNode found = there.path("properties").get(name);
      if (inside && found == null && open) {
        continue;
      }
      complete(found, e.getValue(), property(path, name), property(from, name), inside);
    }
    if (!inside && rules.path("additionalProperties").isObject()) {
      String step = ".additionalProperties";
      JsonNode values = rules.path("additionalProperties");
      complete(values, values, path + step, from + step, false);
    }
  }

  private static String property(String path, String name) {
    return path + ".properties[" + name + "]";
  }
}
