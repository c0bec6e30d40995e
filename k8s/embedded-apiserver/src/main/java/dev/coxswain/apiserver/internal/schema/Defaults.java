// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Fills in the defaults of a custom resource; any thread. */
public final class Defaults {
  private Defaults() {}

  /**
   * Fills in what is missing, in place. A null where none is allowed counts as missing when there
   * is a default, and is dropped otherwise.
   */
  public static void apply(JsonNode value, Schema schema) {
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, Schema> e : schema.properties().entrySet()) {
        Schema field = e.getValue();
        JsonNode given = object.get(e.getKey());
        JsonNode preset = field.defaultValue();
        boolean missing = given == null || (given.isNull() && !field.nullable());
        if (missing && preset != null) {
          object.set(e.getKey(), preset.deepCopy());
        }
      }
      List<String> drop = new ArrayList<>();
      for (Map.Entry<String, JsonNode> e : object.properties()) {
        if (schema.properties().containsKey(e.getKey()) || schema.type() == Schema.Type.MAP) {
          Schema field = schema.field(e.getKey());
          if (e.getValue().isNull()
              && field.custom()
              && !field.nullable()
              && field.type() != Schema.Type.ANY) {
            drop.add(e.getKey());
          } else {
            apply(e.getValue(), field);
          }
        }
      }
      object.remove(drop);
    } else if (value instanceof ArrayNode array && schema.type() == Schema.Type.LIST) {
      array.forEach(item -> apply(item, schema.items()));
    }
  }
}
