// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Trees as Go prints them with {@code %v}, which some messages contain; any thread. */
final class GoText {
  private GoText() {}

  static String print(JsonNode node) {
    if (node.isArray()) {
      return node.valueStream().map(GoText::print).collect(Collectors.joining(" ", "[", "]"));
    }
    if (node.isObject()) {
      Map<String, JsonNode> sorted = new TreeMap<>();
      node.properties().forEach(e -> sorted.put(e.getKey(), e.getValue()));
      return sorted.entrySet().stream()
          .map(e -> e.getKey() + ":" + print(e.getValue()))
          .collect(Collectors.joining(" ", "map[", "]"));
    }
    return node.isNull() ? "<nil>" : node.asText();
  }
}
