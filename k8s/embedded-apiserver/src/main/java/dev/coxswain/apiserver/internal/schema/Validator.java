// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Formats;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks a custom resource against its structural schema; any thread. */
public final class Validator {
  private final Causes causes = new Causes();

  private Validator() {}

  /**
   * Returns what is wrong, empty when nothing is.
   *
   * @param old the state before, null on create; what has not changed is not looked at again
   */
  public static List<Cause> validate(@Nullable JsonNode old, ObjectNode object, Schema schema) {
    return validate(old, object, schema, "");
  }

  /** Returns what is wrong with a value at {@code path}. */
  static List<Cause> validate(@Nullable JsonNode old, JsonNode value, Schema schema, String path) {
    Validator validator = new Validator();
    validator.value(old, value, schema, path);
    Schema metadata = schema.metadata();
    if (metadata != null) { // rules for the name
      JsonNode before = old == null ? null : old.get("metadata");
      validator.value(before, value.path("metadata"), metadata, "metadata");
    }
    if (validator.causes.isEmpty()) {
      validator.identities(old, value, schema, path);
    }
    return validator.causes;
  }

  private void value(@Nullable JsonNode old, JsonNode value, Schema schema, String path) {
    if (value.equals(old) || (value.isNull() && (schema.nullable() || !schema.custom()))) {
      return;
    }
    if (!schema.custom() || !typed(value, schema, path)) {
      return;
    }
    Rules rules = schema.rules();
    if (rules != null) {
      rules(value, schema, rules, path);
    }
    if (schema.embedded() && value instanceof ObjectNode object) {
      for (String field : List.of("apiVersion", "kind")) {
        if (!object.hasNonNull(field)) {
          causes.at(path + "." + field).missing();
        }
      }
    }
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        if (schema.properties().containsKey(e.getKey()) || schema.type() == Schema.Type.MAP) {
          value(
              old == null ? null : old.get(e.getKey()),
              e.getValue(),
              schema.field(e.getKey()),
              path.isEmpty() ? e.getKey() : path + "." + e.getKey());
        }
      }
    } else if (value instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        value(null, array.get(i), schema.items(), path + "[" + i + "]");
      }
    }
  }

  /** Sets and keyed lists hold every item once. */
  private void identities(@Nullable JsonNode old, JsonNode value, Schema schema, String path) {
    if (value.equals(old)) {
      return;
    }
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        String here = path.isEmpty() ? e.getKey() : path + "." + e.getKey();
        identities(
            old == null ? null : old.get(e.getKey()), e.getValue(), schema.field(e.getKey()), here);
      }
    } else if (value instanceof ArrayNode array && schema.custom()) {
      Set<JsonNode> seen = new HashSet<>();
      for (int i = 0; i < array.size(); i++) {
        JsonNode item = array.get(i);
        JsonNode identity = schema.keyedList() ? keys(item, schema) : item;
        boolean matters = schema.keyedList() || schema.merge() == Schema.Merge.SET;
        if (matters && !seen.add(identity)) {
          causes.add(
              new Cause(
                  "FieldValueDuplicate", path + "[" + i + "]", "Duplicate value: " + identity));
        }
        identities(null, item, schema.items(), path + "[" + i + "]");
      }
    }
  }

  private static JsonNode keys(JsonNode item, Schema list) {
    ObjectNode keys = Json.object();
    list.keys().stream().sorted().filter(item::has).forEach(key -> keys.set(key, item.get(key)));
    return keys;
  }

  private boolean typed(JsonNode value, Schema schema, String path) {
    String wanted =
        switch (schema.type()) {
          case OBJECT, MAP -> "object";
          case LIST -> "array";
          case TEXT, TIME, MICRO_TIME -> "string";
          case INTEGER -> "integer";
          case NUMBER -> "number";
          case BOOLEAN -> "boolean";
          case INT_OR_TEXT -> "integer,string";
          case ANY -> "";
        };
    String found = typeOf(value);
    boolean ok =
        wanted.isEmpty()
            || wanted.contains(found)
            || (wanted.equals("number") && found.equals("integer"));
    if (!ok) {
      causes.add(
          new Cause(
              "FieldValueTypeInvalid",
              path,
              "Invalid value: \"%s\": %s in body must be of type %s: \"%s\""
                  .formatted(found, path, wanted, found)));
      if (schema.type() == Schema.Type.INTEGER && value.isNumber()) {
        // The real server checks fractions twice and words the second time like this.
        causes.add(
            new Cause(
                "FieldValueInvalid",
                "<nil>",
                "Invalid value: \"\": Checked value must be of type integer (default format) in "
                    + path));
      }
    }
    return ok;
  }

  private static boolean integer(JsonNode value) {
    return value.isIntegralNumber()
        || (value.isNumber() && value.decimalValue().stripTrailingZeros().scale() <= 0);
  }

  private static String typeOf(JsonNode value) {
    if (value.isNumber()) {
      return integer(value) ? "integer" : "number";
    }
    return switch (value.getNodeType()) {
      case OBJECT -> "object";
      case ARRAY -> "array";
      case BOOLEAN -> "boolean";
      case NULL -> "null";
      default -> "string";
    };
  }

  /** Returns whether a number fits into the format that its schema names. */
  private static boolean inRange(JsonNode value, String format) {
    return switch (format) {
      case "int32" -> !integer(value) || value.canConvertToInt();
      case "int64" -> !integer(value) || value.canConvertToLong();
      case "float" -> Math.abs(value.doubleValue()) <= Float.MAX_VALUE;
      default -> true;
    };
  }

  private void rules(JsonNode value, Schema schema, Rules rules, String path) {
    String shown = value.isTextual() ? Cause.quote(value.textValue()) : value.toString();
    if (value instanceof ObjectNode object) {
      for (String name : rules.required()) {
        if (!object.has(name)) {
          causes.at(path.isEmpty() ? name : path + "." + name).missing();
        }
      }
      count(object.size(), rules.minProperties(), rules.maxProperties(), path, "properties");
    }
    if (value instanceof ArrayNode array) {
      count(array.size(), rules.minItems(), rules.maxItems(), path, "items");
      if (rules.uniqueItems() && !array.valueStream().allMatch(new HashSet<>()::add)) {
        causes.at(path).invalid(shown, path + " in body shouldn't contain duplicates");
      }
    }
    if (value.isTextual()) {
      text(value.textValue(), shown, rules, path);
    }
    if (value.isNumber() && !inRange(value, rules.format())) {
      String type = schema.type() == Schema.Type.INTEGER ? "integer" : "number";
      causes.add(
          new Cause(
              "FieldValueInvalid",
              "<nil>",
              "Invalid value: \"\": Checked value must be of type %s with format %s in %s"
                  .formatted(type, rules.format(), path)));
    }
    if (value.isNumber()) {
      number(value.decimalValue(), shown, rules, path);
    }
    if (!rules.options().isEmpty() && !rules.options().contains(value)) {
      causes
          .at(path)
          .unsupported(
              value.isTextual() ? shown : Cause.quote(shown),
              rules.options().stream().map(JsonNode::asText).toArray(String[]::new));
    }
    combined(value, rules, path);
  }

  private void count(int size, int min, int max, String path, String what) {
    if (max >= 0 && size > max) {
      causes.add(
          new Cause(
              "FieldValueTooMany",
              path,
              "Too many: " + size + ": must have at most " + max + " items"));
    }
    if (min >= 0 && size < min) {
      causes
          .at(path)
          .invalid(
              String.valueOf(size), path + " in body should have at least " + min + " " + what);
    }
  }

  private void text(String text, String shown, Rules rules, String path) {
    int length = text.codePointCount(0, text.length());
    if (rules.maxLength() >= 0 && length > rules.maxLength()) {
      causes.at(path).tooLong(rules.maxLength());
      return; // the real server stops at the first problem of a text
    }
    if (rules.minLength() >= 0 && length < rules.minLength()) {
      causes
          .at(path)
          .invalid(
              shown, path + " in body should be at least " + rules.minLength() + " chars long");
      return;
    }
    if (rules.pattern() != null && !rules.pattern().matcher(text).find()) {
      causes.at(path).invalid(shown, path + " in body should match '" + rules.pattern() + "'");
    }
    if (!Formats.valid(rules.format(), text)) {
      causes.add(
          new Cause(
              "FieldValueTypeInvalid",
              path,
              "Invalid value: %s: %s in body must be of type %s: %s"
                  .formatted(shown, path, rules.format(), shown)));
    }
  }

  private void number(BigDecimal number, String shown, Rules rules, String path) {
    BigDecimal min = rules.minimum();
    if (min != null
        && (rules.exclusiveMinimum() ? number.compareTo(min) <= 0 : number.compareTo(min) < 0)) {
      String than = rules.exclusiveMinimum() ? "greater than " : "greater than or equal to ";
      causes.at(path).invalid(shown, path + " in body should be " + than + min.toPlainString());
    }
    BigDecimal max = rules.maximum();
    if (max != null
        && (rules.exclusiveMaximum() ? number.compareTo(max) >= 0 : number.compareTo(max) > 0)) {
      String than = rules.exclusiveMaximum() ? "less than " : "less than or equal to ";
      causes.at(path).invalid(shown, path + " in body should be " + than + max.toPlainString());
    }
    BigDecimal factor = rules.multipleOf();
    if (factor != null && factor.signum() != 0 && number.remainder(factor).signum() != 0) {
      causes
          .at(path)
          .invalid(shown, path + " in body should be a multiple of " + factor.toPlainString());
    }
  }

  private void combined(JsonNode value, Rules rules, String path) {
    long valid = 0;
    for (Schema part : rules.allOf()) {
      valid += fits(value, part) ? 1 : 0;
      value(null, value, part, path);
    }
    if (valid < rules.allOf().size()) {
      String none = valid == 0 ? ". None validated" : "";
      unnamed(path, "must validate all the schemas (allOf)" + none);
    }
    if (!rules.anyOf().isEmpty() && rules.anyOf().stream().noneMatch(part -> fits(value, part))) {
      unnamed(path, "must validate at least one schema (anyOf)");
      nearest(value, rules.anyOf(), path);
    }
    valid = rules.oneOf().stream().filter(part -> fits(value, part)).count();
    if (!rules.oneOf().isEmpty() && valid != 1) {
      String found = valid == 0 ? "Found none valid" : "Found " + valid + " valid alternatives";
      unnamed(path, "must validate one and only one schema (oneOf). " + found);
      if (valid == 0) {
        nearest(value, rules.oneOf(), path);
      }
    }
    if (rules.not() != null && fits(value, rules.not())) {
      unnamed(path, "must not validate the schema (not)");
    }
  }

  /** The real server gives failures of several schemas no field. */
  private void unnamed(String path, String why) {
    causes.add(
        new Cause("FieldValueInvalid", "<nil>", "Invalid value: \"\": \"" + path + "\" " + why));
  }

  /** Adds the faults by the schema that fits best. */
  private void nearest(JsonNode value, List<Schema> parts, String path) {
    parts.stream()
        .map(part -> {
          Validator validator = new Validator();
          validator.value(null, value, part, path);
          return validator.causes;
        })
        .min(Comparator.comparingInt(List::size))
        .ifPresent(causes::addAll);
  }

  private static boolean fits(JsonNode value, Schema schema) {
    Validator validator = new Validator();
    validator.value(null, value, schema, "");
    return validator.causes.isEmpty();
  }
}
