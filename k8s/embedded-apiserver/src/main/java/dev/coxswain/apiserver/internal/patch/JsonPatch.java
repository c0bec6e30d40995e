// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.ApiException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** JSON patch (RFC 6902); any thread. */
public final class JsonPatch {
  private static final int MAX_OPERATIONS = 10_000;

  private JsonPatch() {}

  /**
   * Applies {@code patch} to {@code target} in place; throws a 400 for a malformed patch, a 422
   * when it fails.
   */
  public static ObjectNode apply(ObjectNode target, JsonNode patch) {
    if (!(patch instanceof ArrayNode operations)) {
      throw ApiException.badRequest(
          "error decoding patch: json: cannot unmarshal "
              + Json.goType(patch)
              + " into Go value of type []handlers.jsonPatchOp");
    }
    if (operations.size() > MAX_OPERATIONS) {
      throw ApiException.of(
          413,
          "RequestEntityTooLarge",
          "Request entity too large: The allowed maximum operations in a JSON patch is %s, got %s"
              .formatted(MAX_OPERATIONS, operations.size()),
          null);
    }
    ObjectNode holder = Json.object();
    holder.set("", target);
    for (JsonNode operation : operations) {
      one(holder, operation);
    }
    if (!(holder.get("") instanceof ObjectNode result)) {
      throw failed();
    }
    return result;
  }

  private static ApiException failed() {
    return ApiException.of(
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
        Json.object());
  }

  private static void one(ObjectNode holder, JsonNode operation) {
    List<String> path = pointer(operation, "path");
    switch (Json.text(operation, "op")) {
      case "add" -> add(holder, path, value(operation));
      case "replace" -> {
        get(holder, path);
        set(holder, path, value(operation));
      }
      case "remove" -> remove(holder, path);
      case "move" -> {
        List<String> from = pointer(operation, "from");
        JsonNode moved = get(holder, from);
        remove(holder, from);
        add(holder, path, moved);
      }
      case "copy" -> add(holder, path, get(holder, pointer(operation, "from")).deepCopy());
      case "test" -> {
        if (!get(holder, path).equals(value(operation))) {
          throw failed();
        }
      }
      default -> throw failed();
    }
  }

  private static JsonNode value(JsonNode operation) {
    JsonNode value = operation.get("value");
    return value == null
        ? com.fasterxml.jackson.databind.node.NullNode.getInstance()
        : value.deepCopy();
  }

  /** The document hangs under an empty name, so that every path has a parent. */
  private static List<String> pointer(JsonNode operation, String field) {
    JsonNode text = operation.get(field);
    if (text == null
        || !text.isTextual()
        || (!text.textValue().isEmpty() && text.textValue().charAt(0) != '/')) {
      throw failed();
    }
    List<String> steps = new ArrayList<>();
    for (String step : Arrays.asList(text.textValue().split("/", -1))) {
      steps.add(step.replace("~1", "/").replace("~0", "~"));
    }
    return steps;
  }

  private static JsonNode parent(ObjectNode holder, List<String> path) {
    return get(holder, path.subList(0, path.size() - 1));
  }

  private static JsonNode get(JsonNode from, List<String> path) {
    JsonNode here = from;
    for (String step : path) {
      JsonNode next =
          here instanceof ArrayNode array ? array.get(index(array, step, false)) : here.get(step);
      if (next == null) {
        throw failed();
      }
      here = next;
    }
    return here;
  }

  private static int index(ArrayNode array, String step, boolean end) {
    if (end && step.equals("-")) {
      return array.size();
    }
    try {
      int index = Integer.parseInt(step);
      if (index >= 0 && index < array.size() + (end ? 1 : 0)) {
        return index;
      }
    } catch (NumberFormatException e) {
      throw failed();
    }
    throw failed();
  }

  private static void add(ObjectNode holder, List<String> path, JsonNode value) {
    String last = path.getLast();
    JsonNode parent = parent(holder, path);
    if (parent instanceof ArrayNode array) {
      array.insert(index(array, last, true), value);
    } else if (parent instanceof ObjectNode object) {
      object.set(last, value);
    } else {
      throw failed();
    }
  }

  private static void set(ObjectNode holder, List<String> path, JsonNode value) {
    String last = path.getLast();
    JsonNode parent = parent(holder, path);
    if (parent instanceof ArrayNode array) {
      array.set(index(array, last, false), value);
    } else if (parent instanceof ObjectNode object) {
      object.set(last, value);
    } else {
      throw failed();
    }
  }

  private static void remove(ObjectNode holder, List<String> path) {
    get(holder, path);
    String last = path.getLast();
    if (parent(holder, path) instanceof ArrayNode array) {
      array.remove(index(array, last, false));
    } else if (parent(holder, path) instanceof ObjectNode object) {
      object.remove(last);
    }
  }
}
