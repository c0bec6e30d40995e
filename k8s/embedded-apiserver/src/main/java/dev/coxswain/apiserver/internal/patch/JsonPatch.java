// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.patch;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.ApiException;

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
    JsonPointer path = pointer(operation, "path");
    switch (Json.text(operation, "op")) {
      case "add" -> add(holder, path, value(operation));
      case "replace" -> {
        get(holder, path);
        if (get(holder, path.head()) instanceof ArrayNode array) {
          array.set(path.last().getMatchingIndex(), value(operation));
        } else {
          add(holder, path, value(operation));
        }
      }
      case "remove" -> remove(holder, path);
      case "move" -> {
        JsonPointer from = pointer(operation, "from");
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
    return value == null ? NullNode.getInstance() : value.deepCopy();
  }

  /** The document hangs under an empty name, so that every path has a parent. */
  private static JsonPointer pointer(JsonNode operation, String field) {
    JsonNode text = operation.path(field);
    boolean absolute = text.asText().isEmpty() || text.asText().charAt(0) == '/';
    if (!text.isTextual() || !absolute) {
      throw failed();
    }
    return JsonPointer.compile("/" + text.textValue());
  }

  private static JsonNode get(JsonNode holder, JsonPointer path) {
    JsonNode found = holder.at(path);
    if (found.isMissingNode()) {
      throw failed();
    }
    return found;
  }

  private static void add(ObjectNode holder, JsonPointer path, JsonNode value) {
    String name = path.last().getMatchingProperty();
    JsonNode parent = get(holder, path.head());
    if (parent instanceof ObjectNode object) {
      object.set(name, value);
    } else if (parent instanceof ArrayNode array) {
      int index = name.equals("-") ? array.size() : path.last().getMatchingIndex();
      if (index < 0 || index > array.size()) {
        throw failed();
      }
      array.insert(index, value);
    } else {
      throw failed();
    }
  }

  private static void remove(ObjectNode holder, JsonPointer path) {
    get(holder, path);
    if (get(holder, path.head()) instanceof ArrayNode array) {
      array.remove(path.last().getMatchingIndex());
    } else if (get(holder, path.head()) instanceof ObjectNode object) {
      object.remove(path.last().getMatchingProperty());
    }
  }
}
