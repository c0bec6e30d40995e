// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Variables of a scenario, and their substitution. */
final class Variables {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}]+)}");

  private final Map<String, JsonNode> values = new HashMap<>();

  void set(String name, String value) {
    values.put(name, JsonNodeFactory.instance.textNode(value));
  }

  void set(String name, JsonNode value) {
    values.put(name, value);
  }

  String text(String name) {
    JsonNode value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no variable " + name);
    }
    return value.asText();
  }

  JsonNode resolve(JsonNode node) {
    if (node.isTextual()) {
      return text(node);
    }
    if (node instanceof ArrayNode list) {
      ArrayNode out = JsonNodeFactory.instance.arrayNode();
      list.forEach(item -> out.add(resolve(item)));
      return out;
    }
    if (node instanceof ObjectNode object) {
      if (object.size() == 1 && object.has("$repeat")) {
        String unit = object.get("$repeat").get(0).asText();
        return JsonNodeFactory.instance.textNode(unit.repeat(object.get("$repeat").get(1).asInt()));
      }
      ObjectNode out = JsonNodeFactory.instance.objectNode();
      object.properties().forEach(e -> out.set(replace(e.getKey()), resolve(e.getValue())));
      return out;
    }
    return node;
  }

  private JsonNode text(JsonNode node) {
    Matcher whole = REFERENCE.matcher(node.textValue());
    if (whole.matches() && values.containsKey(whole.group(1))) {
      return values.get(whole.group(1)).deepCopy();
    }
    return JsonNodeFactory.instance.textNode(replace(node.textValue()));
  }

  String replace(String text) {
    return REFERENCE
        .matcher(text)
        .replaceAll(m ->
            Matcher.quoteReplacement(
                values.containsKey(m.group(1)) ? values.get(m.group(1)).asText() : m.group()));
  }
}
