// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Size, keys and immutability of ConfigMaps; any thread. */
final class ConfigMapRules implements KindRules {
  private static final int MAX = 1024 * 1024;

  @Override
  public void validate(@Nullable ObjectNode old, Field map) {
    immutable(old, map, "data", "binaryData");
    Field data = map.at("data");
    Field binary = map.at("binaryData");
    for (String key : data.keys()) {
      data.key(key).configKey(key);
      if (binary.key(key).given()) { // the real server names this once, here
        data.key(key).invalid(Cause.quote(key), "duplicate of key present in binaryData");
      }
    }
    binary.keys().forEach(key -> binary.key(key).configKey(key));
    long size = decodedSize(binary);
    for (String key : data.keys()) {
      size += data.key(key).text().getBytes(StandardCharsets.UTF_8).length;
    }
    limit(size, map.as("[]"));
  }

  static void limit(long size, Field data) {
    if (size > MAX) {
      data.tooLong(MAX);
    }
  }

  /** Returns the number of bytes that the Base64 values of a map encode. */
  static long decodedSize(Field data) {
    long size = 0;
    for (String key : data.keys()) {
      String text = data.key(key).text();
      int end = text.length();
      while (end > 0 && text.charAt(end - 1) == '=') {
        end--;
      }
      size += end * 3L / 4;
    }
    return size;
  }

  /** The changes that {@code immutable: true} forbids. */
  static void immutable(@Nullable ObjectNode old, Field object, String... fields) {
    if (old != null && old.path("immutable").asBoolean()) {
      String why = "field is immutable when `immutable` is set";
      if (!object.at("immutable").isTrue()) {
        object.at("immutable").forbidden(why);
      }
      for (String field : fields) {
        if (!old.path(field).equals(object.at(field).value())) {
          object.at(field).forbidden(why);
        }
      }
    }
  }
}
