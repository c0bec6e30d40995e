// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import java.io.IOException;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The confirmations that several replicas gave for their parts of one order, as one text. Each
 * replica verifies its own; nothing else is believed of it.
 */
public final class CombinedToken {

  /** The longest confirmation that is read: of a hundred replicas with names of 63 characters. */
  static final int MAX = 20_480;

  private static final String PREFIX = "cts_";

  private CombinedToken() {}

  static String of(Map<String, String> tokens) {
    ObjectNode json = Json.object();
    new TreeMap<>(tokens).forEach(json::put);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(Json.write(json));
  }

  /** Returns the confirmations by replica, or null when this is the one of a single replica. */
  public static @Nullable Map<String, String> parts(String text) {
    if (!text.startsWith(PREFIX) || text.length() > MAX) {
      return null;
    }
    Map<String, String> parts = new TreeMap<>();
    try {
      JsonNode json = Json.read(Base64.getUrlDecoder().decode(text.substring(PREFIX.length())));
      if (json != null) {
        json.properties().forEach(part -> parts.put(part.getKey(), part.getValue().asText()));
      }
    } catch (IllegalArgumentException | IOException e) {
      return Map.of(); // covers no replica, and is refused as that
    }
    return parts;
  }
}
