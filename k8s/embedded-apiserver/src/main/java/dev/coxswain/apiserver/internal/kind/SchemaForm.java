// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.coxswain.apiserver.internal.cel.ValidationCheck;
import dev.coxswain.apiserver.internal.schema.CrdSchemas;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks one schema of a definition, node by node; any thread. */
final class SchemaForm {
  private SchemaForm() {}

  /** Adds what is wrong with a whole schema. */
  static void check(Field schema) {
    Causes expressions = new Causes();
    boolean readable = node(schema, "", true, expressions);
    schema.causes().addAll(expressions);
    if (readable) {
      StructuralForm.check(schema);
    }
    if (schema.causes().isEmpty()) { // values can be held against a schema that is one
      defaults(schema);
    }
  }

  /** Returns the schemas under some keywords of a schema. */
  static List<Field> parts(Field schema, String... keywords) {
    List<Field> parts = new ArrayList<>();
    for (String keyword : keywords) {
      Field part = schema.at(keyword);
      switch (keyword) {
        case "properties" -> part.keys().forEach(name -> parts.add(part.key(name)));
        case "allOf", "anyOf", "oneOf" -> part.forEach(parts::add);
        default -> {
          if (part.value().isObject()) {
            parts.add(part);
          }
        }
      }
    }
    return parts;
  }

  /**
   * Checks one node.
   *
   * @param unordered path of the list around it whose items have no identity over time, or empty
   * @param root whether it is the schema of whole objects
   * @param expressions receives what is wrong with expressions, which are compiled when all else is right here and below
   * @return whether it can be structural: nothing in it is a keyword that no schema of a definition may have
   */
  private static boolean node(Field s, String unordered, boolean root, Causes expressions) {
    int before = s.causes().size();
    boolean readable = true;
    for (Field field :
        s.each(
            "id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")) {
      if (field.given()) {
        String name = field.path().substring(s.path().length() + 1);
        field.forbidden(name + " is not supported");
        readable = false;
      }
    }
    Field type = s.at("type");
    type.unlessEmpty(t -> t.oneOf("array", "boolean", "integer", "number", "object", "string"));
    if (type.text().equals("null")) {
      type.forbidden("type cannot be set to null, use nullable as an alternative");
    }
    if (s.at("items").value().isArray() && !s.at("items").isEmpty()) {
      s.at("items").forbidden("items must be a schema object and not an array");
      readable = false;
    }
    if (s.at("uniqueItems").isTrue()) {
      s.at("uniqueItems")
          .forbidden(
              "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    Field additional = s.at("additionalProperties");
    if (additional.value().isBoolean() && !additional.isTrue()) {
      additional.forbidden("additionalProperties cannot be set to false");
    } else if (additional.value().isObject() && !s.at("properties").isEmpty()) {
      additional.forbidden("additionalProperties and properties are mutual exclusive");
    }
    extensions(s);
    lists(s);
    pattern(s.at("pattern"));
    ValidationCheck.form(s);
    boolean keyed = s.text("x-kubernetes-list-type").equals("map");
    String inItems = keyed || !unordered.isEmpty() ? unordered : s.path();
    for (Field part : parts(s, "properties")) {
      readable &= node(part, unordered, false, expressions);
    }
    for (Field part : parts(s, "items")) {
      readable &= node(part, inItems, false, expressions);
    }
    for (Field part : parts(s, "additionalProperties", "not", "allOf", "oneOf", "anyOf")) {
      readable &= node(part, unordered, false, expressions);
    }
    if (s.causes().size() == before) {
      ValidationCheck.compile(new Field(s.value(), s.path(), expressions), unordered, root);
    }
    return readable;
  }

  private static void extensions(Field s) {
    Field preserve = s.at("x-kubernetes-preserve-unknown-fields");
    if (preserve.value().isBoolean() && !preserve.isTrue()) {
      preserve.invalid("must be true or undefined");
    }
    Field type = s.at("type");
    Field map = s.at("x-kubernetes-map-type");
    if (!map.isEmpty()) {
      map.oneOf("atomic", "granular");
      needs(type, "object", "x-kubernetes-map-type is specified");
    }
  }

  private static void needs(Field field, String wanted, String because) {
    String why = "must be " + wanted + " if " + because;
    if (field.isEmpty()) {
      field.missing(why);
    } else if (!field.text().equals(wanted)) {
      field.invalidText(why);
    }
  }

  private static void lists(Field s) {
    Field list = s.at("x-kubernetes-list-type");
    if (!list.isEmpty()) {
      list.oneOf("atomic", "set", "map");
      needs(s.at("type"), "array", "x-kubernetes-list-type is specified");
    }
    if (!s.at("x-kubernetes-list-map-keys").isEmpty()) {
      needs(list, "map", "x-kubernetes-list-map-keys is non-empty");
    }
    Field items = s.at("items");
    if (list.text().equals("map")) {
      keys(s.at("x-kubernetes-list-map-keys"), items);
    }
    if (list.text().equals("set")) {
      if (items.at("nullable").isTrue()) {
        items.at("nullable").forbidden("cannot be nullable when x-kubernetes-list-type is set");
      }
      String why = "must be atomic as item of a list with x-kubernetes-list-type=set";
      Field mapType = items.at("x-kubernetes-map-type");
      if (items.text("type").equals("object") && !mapType.text().equals("atomic")) {
        mapType.invalidText(why);
      }
      Field listType = items.at("x-kubernetes-list-type");
      if (items.text("type").equals("array") && !List.of("", "atomic").contains(listType.text())) {
        listType.invalidText(why);
      }
    }
  }

  private static void keys(Field keys, Field items) {
    if (keys.isEmpty()) {
      keys.missing("must not be empty if x-kubernetes-list-type is map");
    }
    if (!items.value().isObject()) {
      items.missing("must have a schema if x-kubernetes-list-type is map");
      return;
    }
    if (!items.text("type").equals("object")) {
      items
          .at("type")
          .invalidText("must be object if parent array's x-kubernetes-list-type is map");
    }
    if (items.at("nullable").isTrue()) {
      items.at("nullable").forbidden("cannot be nullable when x-kubernetes-list-type is map");
    }
    Set<String> seen = new HashSet<>();
    for (Field k : keys) {
      String key = k.value().asText();
      Field property = items.at("properties").key(key);
      if (!seen.add(key)) {
        keys.invalid("must not contain duplicate entries");
      } else if (!property.given()) {
        keys.invalid("entries must all be names of item properties");
      } else if (List.of("array", "object").contains(property.text("type"))) {
        property
            .at("type")
            .invalidText("must be a scalar type if parent array's x-kubernetes-list-type is map");
      } else if (!property.at("default").given()
          && items.value().path("required").valueStream().noneMatch(r -> r.asText().equals(key))) {
        property
            .at("default")
            .missing(
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
      }
    }
  }

  private static void pattern(Field pattern) {
    try {
      Pattern compiled = Pattern.compile(pattern.text());
      assert compiled.flags() == 0;
    } catch (PatternSyntaxException e) {
      pattern.invalidText("must be a valid regular expression, but isn't: " + e.getMessage());
    }
  }

  private static void defaults(Field s) {
    Field preset = s.at("default");
    if (preset.given()) {
      s.causes().addAll(CrdSchemas.checkDefault(preset.value(), s.value(), preset.path()));
    }
    parts(s, "properties", "items", "additionalProperties").forEach(SchemaForm::defaults);
  }
}
