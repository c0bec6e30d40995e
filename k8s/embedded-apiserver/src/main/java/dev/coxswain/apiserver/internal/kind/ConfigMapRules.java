// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.status.Cause;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Size, keys and immutability of ConfigMaps; any thread. */
final class ConfigMapRules implements KindRules {
  private static final int MAX = 1024 * 1024;
  private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode object, List<Cause> causes) {
    long size = check(object, "data", causes) + check(object, "binaryData", causes);
    if (size > MAX) {
      causes.add(Cause.tooLong("[]", MAX));
    }
    immutable(old, object, causes, List.of("data", "binaryData"));
  }

  /** Checks the keys of a map; returns the size of its values. */
  static long check(ObjectNode object, String field, List<Cause> causes) {
    long size = 0;
    for (Map.Entry<String, JsonNode> e : object.path(field).properties()) {
      if (!KEY.matcher(e.getKey()).matches() || e.getKey().length() > 253) {
        causes.add(
            Cause.invalidText(
                field + "[" + e.getKey() + "]",
                e.getKey(),
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                    + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"));
      }
      size += e.getValue().asText().getBytes(StandardCharsets.UTF_8).length;
    }
    return size;
  }

  /** What {@code immutable: true} forbids. */
  static void immutable(
      @Nullable ObjectNode old, ObjectNode object, List<Cause> causes, List<String> fields) {
    if (old == null || !old.path("immutable").asBoolean()) {
      return;
    }
    if (!object.path("immutable").asBoolean()) {
      causes.add(Cause.forbidden("immutable", "field is immutable when `immutable` is set"));
    }
    for (String field : fields) {
      if (!old.path(field).equals(object.path(field))) {
        causes.add(Cause.forbidden(field, "field is immutable when `immutable` is set"));
      }
    }
  }
}
