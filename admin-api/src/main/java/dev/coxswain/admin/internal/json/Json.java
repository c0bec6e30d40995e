// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads JSON strictly, and writes JSON that is always valid UTF-8. */
public final class Json {

  /** The deepest input; deeper input is refused by the parser. */
  public static final int MAX_DEPTH = 16;

  /** The longest error text that is shown. */
  public static final int MAX_ERROR_TEXT = 1024;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNumberLength(32)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  /** Loads what writing and reading JSON needs: some hundreds of classes. */
  public static JsonNode loadAhead() throws IOException {
    ObjectNode json = object().put("text", "").put("number", 1.5).put("count", 1L).put("is", true);
    json.putArray("items").addObject().putNull("none");
    return MAPPER.readTree(write(json));
  }

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  public static byte[] write(JsonNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree could not be written", e);
    }
  }

  /** Returns the tree, or null for white space only. */
  public static @Nullable JsonNode read(byte[] text) throws IOException {
    JsonNode node = MAPPER.readTree(text);
    return node == null || node.isMissingNode() ? null : node;
  }

  /** Writes a time as RFC 3339 in UTC; null is left out. */
  public static void putTime(ObjectNode json, String field, @Nullable Instant time) {
    if (time != null) {
      json.put(field, time.toString());
    }
  }

  /** Writes nanoseconds as seconds. */
  public static void putSeconds(ObjectNode json, String field, long nanos) {
    json.put(field, nanos / 1e9);
  }

  /** Writes a number; null for infinity and NaN, which JSON does not have. */
  public static void putFinite(ObjectNode json, String field, double value) {
    if (Double.isFinite(value)) {
      json.put(field, value);
    } else {
      json.putNull(field);
    }
  }

  /**
   * Returns text that UTF-8 can represent: a lone surrogate, such as the rest of a pair after an
   * error text was cut, becomes the replacement character.
   */
  public static String clean(String text) {
    StringBuilder cleaned = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      if (cleaned == null) {
        cleaned = new StringBuilder(text);
      }
      cleaned.setCharAt(i, '\uFFFD');
    }
    return cleaned == null ? text : cleaned.toString();
  }

  /** Returns one line of clean text of at most {@code max} characters. */
  public static String line(String text, int max) {
    String cut = text.length() <= max ? text : text.substring(0, max);
    StringBuilder line = null;
    for (int i = 0; i < cut.length(); i++) {
      if (Character.isISOControl(cut.charAt(i))) {
        line = line == null ? new StringBuilder(cut) : line;
        line.setCharAt(i, ' ');
      }
    }
    return clean(line == null ? cut : line.toString());
  }
}
