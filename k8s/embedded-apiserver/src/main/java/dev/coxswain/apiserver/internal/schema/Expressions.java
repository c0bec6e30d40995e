// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.cel.CelRule;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks the expression rules of a custom resource; any thread. */
public final class Expressions {
  private Expressions() {}

  /** Returns what is wrong; {@code old} is the state before, null on create. */
  public static List<Cause> validate(@Nullable JsonNode old, ObjectNode object, Schema schema) {
    List<Cause> causes = new ArrayList<>();
    walk(old, object, schema, "", causes);
    return causes;
  }

  private static void walk(
      @Nullable JsonNode old, JsonNode value, Schema schema, String path, List<Cause> causes) {
    if (value.isNull()) {
      return;
    }
    for (CelRule rule : schema.expressions()) {
      String problem = rule.check(value, old);
      if (problem != null) {
        String shown = value.isContainerNode() ? "" : value + ": ";
        String field = path.isEmpty() ? "<nil>" : path;
        causes.add(new Cause("FieldValueInvalid", field, "Invalid value: " + shown + problem));
      }
    }
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        if (schema.properties().containsKey(e.getKey()) || schema.type() == Schema.Type.MAP) {
          String here = path.isEmpty() ? e.getKey() : path + "." + e.getKey();
          JsonNode before = old == null ? null : old.get(e.getKey());
          walk(before, e.getValue(), schema.field(e.getKey()), here, causes);
        }
      }
    } else if (value instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        // items of a list have no identity over time, so transition rules do not apply to them
        walk(null, array.get(i), schema.items(), path + "[" + i + "]", causes);
      }
    }
  }
}
