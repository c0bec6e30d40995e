// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that the schema of a definition is structural: types are defined outside of logical
 * combinations, and fields in a combination are defined outside of it as well. Any thread.
 */
final class StructuralForm {
  private static final String PRESERVE = "x-kubernetes-preserve-unknown-fields";
  private static final String EMBEDDED = "x-kubernetes-embedded-resource";
  private static final String INT_OR_STRING = "x-kubernetes-int-or-string";

  /** The part that must have a type, for messages. */
  private static final String ROOT = "at the root";

  private static final String ITEM = "for specified array items";
  private static final String FIELD = "for specified object fields";

  /** The values required of keywords that are forbidden in a combination. */
  private static final Map<String, List<String>> FORBIDDEN =
      Map.of(
          "empty",
          List.of(
              "type",
              "title",
              "description",
              "x-kubernetes-list-map-keys",
              "x-kubernetes-validations"),
          "undefined",
          List.of(
              "additionalProperties",
              "default",
              "externalDocs",
              "x-kubernetes-list-type",
              "x-kubernetes-map-type"),
          "false",
          List.of("nullable", PRESERVE, EMBEDDED, INT_OR_STRING));

  private StructuralForm() {}

  /** Adds what is not structural, sorted. */
  static void check(Field schema) {
    Causes found = new Causes();
    Field own = new Field(schema.value(), schema.path(), found);
    invariants(own, ROOT);
    complete(own, own, false);
    found.sort(Comparator.comparing(c -> c.field() + ": " + c.message()));
    schema.causes().addAll(found);
  }

  private static void invariants(Field s, String level) {
    Field items = s.at("items");
    if (s.text("type").equals("array") && !items.value().isObject()) {
      items.missing("must be specified");
    }
    SchemaForm.parts(s, "items").forEach(part -> invariants(part, ITEM));
    SchemaForm.parts(s, "properties", "additionalProperties")
        .forEach(part -> invariants(part, FIELD));
    Field additional = s.at("additionalProperties");
    if (level.equals(ROOT) && set(additional)) {
      additional.forbidden("must not be used at the root");
    }
    for (Field field : s.each(PRESERVE, EMBEDDED)) {
      if (s.at(INT_OR_STRING).isTrue() && field.isTrue()) {
        field.invalid("must be false if " + INT_OR_STRING + " is true");
      }
    }
    combinations(s, true);
    typed(s, level);
    if (level.equals(ROOT) || s.at(EMBEDDED).isTrue()) {
      metadata(s.at("properties"), level);
    }
  }

  private static void typed(Field s, String level) {
    boolean embedded = s.at(EMBEDDED).isTrue();
    boolean preserve = s.at(PRESERVE).isTrue();
    Field type = s.at("type");
    String object = "must be object if " + EMBEDDED + " is true";
    if (embedded && type.isEmpty()) {
      type.missing(object);
    } else if (embedded && !type.text().equals("object")) {
      type.invalidText(object);
    } else if (type.isEmpty() && !s.at(INT_OR_STRING).isTrue() && !preserve) {
      type.missing("must not be empty " + level);
    }
    if (embedded && set(s.at("additionalProperties"))) {
      s.at("additionalProperties").forbidden("must not be used if " + EMBEDDED + " is set");
    }
    if (level.equals(ROOT) && !type.isEmpty() && !type.text().equals("object")) {
      type.invalidText("must be object at the root");
    }
    if (embedded && !preserve && s.at("properties").isEmpty()) {
      s.at("properties")
          .missing("must not be empty if " + EMBEDDED + " is true without " + PRESERVE);
    }
  }

  /** The parts of an object that the server itself describes may be restricted a little only. */
  private static void metadata(Field properties, String level) {
    Map.of("kind", "string", "apiVersion", "string", "metadata", "object")
        .forEach((name, wanted) -> {
          Field property = properties.key(name);
          if (property.given() && !property.text("type").equals(wanted)) {
            property.at("type").invalidText("must be " + wanted);
          }
        });
    Field meta = properties.key("metadata");
    boolean plain =
        Set.of("type", "properties", "description").containsAll(meta.keys())
            && Set.of("name", "generateName").containsAll(meta.at("properties").keys());
    if (level.equals(ROOT) && !plain) {
      meta.forbidden(
          "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  private static void combinations(Field s, boolean outer) {
    for (String kind : List.of("anyOf", "allOf", "oneOf")) {
      boolean first = true;
      for (Field part : s.at(kind)) {
        boolean exempt =
            outer
                && s.at(INT_OR_STRING).isTrue()
                && (kind.equals("anyOf")
                    ? intOrString(s.value())
                    : first && intOrString(part.value()));
        first = false;
        if (!exempt) {
          nested(part);
        }
      }
    }
    SchemaForm.parts(s, "not").forEach(StructuralForm::nested);
  }

  /** Returns true for the only combination that may have types: integer or string. */
  private static boolean intOrString(JsonNode s) {
    JsonNode any = s.path("anyOf");
    return any.size() == 2
        && any.get(0).equals(Json.object().put("type", "integer"))
        && any.get(1).equals(Json.object().put("type", "string"));
  }

  private static void nested(Field s) {
    combinations(s, false);
    SchemaForm.parts(s, "items", "properties").forEach(StructuralForm::nested);
    FORBIDDEN.forEach((wanted, keywords) -> {
      for (String keyword : keywords) {
        if (set(s.at(keyword))) {
          s.at(keyword).forbidden("must be " + wanted + " to be structural");
        }
      }
    });
    Field meta = s.at("properties").key("metadata");
    if (meta.given()) {
      meta.forbidden("must not be specified in a nested context");
    }
  }

  /** True for a keyword that is not absent, empty or false; a default may be false. */
  private static boolean set(Field keyword) {
    JsonNode value = keyword.value();
    boolean off =
        value.isBoolean() && !value.booleanValue() && !keyword.path().endsWith(".default");
    return keyword.given()
        && !value.isNull()
        && !off
        && !(value.isTextual() && keyword.isEmpty())
        && !(value.isArray() && value.isEmpty());
  }

  /** Each field that combinations of {@code rules} name must exist in {@code outside}. */
  private static void complete(Field outside, Field rules, boolean inside) {
    if (inside && !outside.given()) {
      outside.missing("because it is defined in " + rules.path());
      return;
    }
    SchemaForm.parts(rules, "anyOf", "allOf", "oneOf", "not")
        .forEach(part -> complete(outside, part, true));
    SchemaForm.parts(rules, "items").forEach(part -> complete(outside.at("items"), part, inside));
    boolean open = outside.at("additionalProperties").value().isObject();
    for (String name : rules.at("properties").keys()) {
      Field found = outside.at("properties").key(name);
      if (!inside || found.given() || !open) {
        complete(found, rules.at("properties").key(name), inside);
      }
    }
    if (!inside) {
      SchemaForm.parts(rules, "additionalProperties").forEach(part -> complete(part, part, false));
    }
  }
}
