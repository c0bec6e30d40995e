// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Values of table cells; any thread. */
final class Cells {
  static final String NONE = "<none>";

  private Cells() {}

  static String name(ObjectNode object) {
    return Json.text(object.get("metadata"), "name");
  }

  static String age(ObjectNode object) {
    return since(Json.text(object.get("metadata"), "creationTimestamp"));
  }

  /** Returns the time that has passed, as in {@code 5d3h}. */
  static String since(String timestamp) {
    if (timestamp.isEmpty()) {
      return "<unknown>";
    }
    try {
      return human(Duration.between(Instant.parse(timestamp), Instant.now()));
    } catch (DateTimeException e) {
      return "<invalid>";
    }
  }

  static String human(Duration d) {
    long seconds = d.toSeconds();
    if (seconds < -1) {
      return "<invalid>";
    }
    if (seconds < 0) {
      return "0s";
    }
    if (seconds < 120) {
      return seconds + "s";
    }
    long minutes = d.toMinutes();
    if (minutes < 10) {
      return two(minutes, "m", seconds % 60, "s");
    }
    if (minutes < 180) {
      return minutes + "m";
    }
    long hours = d.toHours();
    if (hours < 8) {
      return two(hours, "h", minutes % 60, "m");
    }
    if (hours < 48) {
      return hours + "h";
    }
    long days = d.toDays();
    if (hours < 192) {
      return two(days, "d", hours % 24, "h");
    }
    if (days < 730) {
      return days + "d";
    }
    return two(days / 365, "y", days % 365, "d");
  }

  private static String two(long a, String unitA, long b, String unitB) {
    return b == 0 ? a + unitA : a + unitA + b + unitB;
  }

  /** Makes a cell of what a printer column's path found: of the first match, as a cluster does. */
  static JsonNode custom(List<JsonNode> found, String type) {
    if (found.isEmpty() || found.getFirst().isNull()) {
      return NullNode.getInstance();
    }
    JsonNode first = found.getFirst();
    return switch (type) {
      case "integer", "number" -> first.isNumber() ? first : NullNode.getInstance();
      case "boolean" -> first.isBoolean() ? first : NullNode.getInstance();
      case "date" -> Json.text(since(first.asText()));
      default -> Json.text(first.isValueNode() ? first.asText() : first.toString());
    };
  }

  static JsonNode at(ObjectNode object, String... path) {
    JsonNode found = Json.at(object, path);
    return found == null ? NullNode.getInstance() : found;
  }

  static JsonNode intAt(ObjectNode object, String... path) {
    JsonNode found = Json.at(object, path);
    return found != null && found.isNumber() ? found : Json.mapper().getNodeFactory().numberNode(0);
  }

  static String textAt(ObjectNode object, String... path) {
    JsonNode found = Json.at(object, path);
    return found == null || found.isNull() || found.asText().isEmpty() ? NONE : found.asText();
  }
}
