// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Size, keys and immutability of ConfigMaps; any thread. */
final class ConfigMapRules implements KindRules {
  private static final int MAX = 1024 * 1024;

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode object, Causes causes) {
    immutable(old, object, causes, List.of("data", "binaryData"));
    long size = 0;
    for (Map.Entry<String, JsonNode> e : object.path("data").properties()) {
      key(e.getKey(), "data", object.path("binaryData"), "binaryData", causes);
      size += e.getValue().asText().getBytes(StandardCharsets.UTF_8).length;
    }
    for (Map.Entry<String, JsonNode> e : object.path("binaryData").properties()) {
      key(e.getKey(), "binaryData", object.path("data"), "data", causes);
      size += decoded(e.getValue());
    }
    if (size > MAX) {
      causes.tooLong("[]", MAX);
    }
  }

  private static void key(
      String key, String field, JsonNode other, String otherName, Causes causes) {
    String path = field + "[" + key + "]";
    causes.invalidText(path, key, Checks.configKey(key));
    if (other.has(key)) {
      causes.invalidText(path, key, "duplicate of key present in " + otherName);
    }
  }

  /** Returns how many bytes Base64 text stands for. */
  static long decoded(JsonNode base64) {
    String text = base64.asText();
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == '=') {
      end--;
    }
    return end * 3L / 4;
  }

  /** What {@code immutable: true} forbids. */
  static void immutable(
      @Nullable ObjectNode old, ObjectNode object, Causes causes, List<String> fields) {
    if (old == null || !old.path("immutable").asBoolean()) {
      return;
    }
    if (!object.path("immutable").asBoolean()) {
      causes.forbidden("immutable", "field is immutable when `immutable` is set");
    }
    for (String field : fields) {
      if (!old.path(field).equals(object.path(field))) {
        causes.forbidden(field, "field is immutable when `immutable` is set");
      }
    }
  }
}
