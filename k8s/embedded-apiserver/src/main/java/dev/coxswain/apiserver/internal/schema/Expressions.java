// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.cel.CelRule;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks the expression rules of a custom resource; any thread. */
public final class Expressions {
  /** Failures that leave values in a state expressions cannot rely on. */
  private static final Set<String> BLOCKING =
      Set.copyOf(
          Json.words(
              """
              FieldValueNotSupported FieldValueRequired FieldValueTooLong FieldValueTooMany
              FieldValueTypeInvalid
              """));

  private Expressions() {}

  /**
   * Returns what is wrong.
   *
   * @param old the state before, null on create
   * @param found what other checks have found; some of it keeps expressions from being evaluated
   */
  public static List<Cause> validate(
      @Nullable JsonNode old, JsonNode object, Schema schema, List<Cause> found) {
    Causes causes = new Causes();
    if (!schema.hasExpressions()) {
      return causes;
    }
    if (found.stream().anyMatch(c -> BLOCKING.contains(c.reason()))) {
      causes
          .at("<nil>")
          .invalid(
              "\"null\"",
              "some validation rules were not checked because the object was invalid; correct the existing errors to"
                  + " complete validation");
      return causes;
    }
    walk(old, object, schema, "", causes);
    return causes;
  }

  private static void walk(
      @Nullable JsonNode old, JsonNode value, Schema schema, String path, Causes causes) {
    if (value.isNull()) {
      return;
    }
    boolean unchanged = value.equals(old); // what was accepted before stays accepted
    for (CelRule rule : schema.expressions()) {
      CelRule.Verdict refusal = rule.check(value, old, unchanged);
      if (refusal != null && refusal.type() != null) {
        causes
            .at(path.isEmpty() ? "<nil>" : path)
            .invalid(Cause.quote(refusal.type()), refusal.message());
      } else if (refusal != null) {
        causes.add(cause(rule, value, path + rule.fieldPath(), refusal.message()));
      }
    }
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        if (schema.properties().containsKey(e.getKey()) || schema.type() == Schema.Type.MAP) {
          String here = child(schema, path, e.getKey());
          JsonNode before = old == null ? null : old.get(e.getKey());
          walk(before, e.getValue(), schema.field(e.getKey()), here, causes);
        }
      }
    } else if (value instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        JsonNode before = schema.keyedList() ? sameKeys(old, array.get(i), schema) : null;
        walk(before, array.get(i), schema.items(), path + "[" + i + "]", causes);
      }
    }
  }

  private static String child(Schema schema, String path, String name) {
    if (!schema.properties().containsKey(name)) {
      return path + "[" + name + "]";
    }
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Items of other lists have no identity over time, so they have no old value. */
  private static @Nullable JsonNode sameKeys(@Nullable JsonNode old, JsonNode item, Schema list) {
    if (old instanceof ArrayNode before) {
      for (JsonNode candidate : before) {
        if (list.keys().stream().allMatch(k -> candidate.path(k).equals(item.path(k)))) {
          return candidate;
        }
      }
    }
    return null;
  }

  private static Cause cause(CelRule rule, JsonNode value, String path, String problem) {
    String field = path.isEmpty() ? "<nil>" : path.startsWith(".") ? path.substring(1) : path;
    String shown = value.isContainerNode() ? "" : value.toString();
    return switch (rule.reason()) {
      case "FieldValueForbidden" -> new Cause(rule.reason(), field, "Forbidden: " + problem);
      case "FieldValueRequired" -> new Cause(rule.reason(), field, "Required value: " + problem);
      case "FieldValueDuplicate" ->
          new Cause("FieldValueDuplicate", field, ("Duplicate value: " + shown).strip());
      default ->
          new Cause(
              "FieldValueInvalid",
              field,
              "Invalid value: " + (shown.isEmpty() ? "" : shown + ": ") + problem);
    };
  }
}
