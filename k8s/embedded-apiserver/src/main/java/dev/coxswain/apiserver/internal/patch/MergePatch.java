// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.Map;

/** JSON merge patch (RFC 7386); any thread. */
public final class MergePatch {
  private MergePatch() {}

  /** Merges {@code patch} into {@code target} in place: null removes, lists are replaced. */
  public static void apply(ObjectNode target, ObjectNode patch) {
    for (Map.Entry<String, JsonNode> e : patch.properties()) {
      String name = e.getKey();
      JsonNode value = e.getValue();
      if (value.isNull()) {
        target.remove(name);
      } else if (value instanceof ObjectNode object) {
        ObjectNode inner = target.get(name) instanceof ObjectNode found ? found : Json.object();
        apply(inner, object);
        target.set(name, inner);
      } else {
        target.set(name, value.deepCopy());
      }
    }
  }
}
