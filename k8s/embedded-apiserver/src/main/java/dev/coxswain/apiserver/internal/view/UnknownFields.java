// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;

/** Unknown fields in responses, as of a newer server; any thread. */
final class UnknownFields {
  private static final String NAME = "coxswainUnknownField";

  private UnknownFields() {}

  /** Adds them to an answer, its metadata and, when it is a list, its items; changes the tree. */
  static ObjectNode add(ObjectNode answer) {
    unknown(answer);
    for (JsonNode item : answer.path("items")) {
      if (item instanceof ObjectNode object) {
        unknown(object);
      }
    }
    return answer;
  }

  private static void unknown(ObjectNode object) {
    ObjectNode value = object.putObject(NAME).put("since", "v9");
    value.putArray("values").add(1).add(true).addNull();
    ObjectNode meta = Json.child(object, "metadata");
    if (meta != null) {
      meta.put(NAME, "v9");
    }
  }
}
