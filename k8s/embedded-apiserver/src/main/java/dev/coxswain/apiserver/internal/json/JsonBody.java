// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decoded request body and the duplicate keys it had; immutable apart from its tree, any thread.
 *
 * @param tree what was sent; the last of duplicate keys wins
 * @param duplicates paths of keys that occurred twice, as in {@code data.a}
 */
public record JsonBody(JsonNode tree, List<String> duplicates) {

  /** Parses JSON; throws {@link IOException} with a short message when it is malformed. */
  public static JsonBody parse(byte[] bytes) throws IOException {
    if (bytes.length == 0) {
      throw new IOException("unexpected end of JSON input");
    }
    List<String> duplicates = new ArrayList<>();
    try (JsonParser parser = Json.mapper().createParser(bytes)) {
      if (parser.nextToken() == null) {
        throw new IOException("unexpected end of JSON input");
      }
      JsonNode tree = read(parser, null, duplicates);
      if (parser.nextToken() != null) {
        throw new IOException("invalid character after top-level value");
      }
      return new JsonBody(tree, List.copyOf(duplicates));
    }
  }

  /**
   * The path is a chain of parents, so that it is only turned into text when a duplicate is found.
   */
  private record Place(@Nullable Place parent, String step) {
    @Override
    public String toString() {
      return parent == null ? step : step.startsWith("[") ? parent + step : parent + "." + step;
    }
  }

  private static JsonNode read(JsonParser parser, @Nullable Place place, List<String> duplicates)
      throws IOException {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.START_OBJECT) {
      ObjectNode object = Json.object();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        Place here = new Place(place, name);
        parser.nextToken();
        if (object.replace(name, read(parser, here, duplicates)) != null) {
          duplicates.add(here.toString());
        }
      }
      return object;
    }
    if (token == JsonToken.START_ARRAY) {
      ArrayNode array = Json.array();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        array.add(read(parser, new Place(place, "[" + array.size() + "]"), duplicates));
      }
      return array;
    }
    return parser.readValueAsTree();
  }
}
