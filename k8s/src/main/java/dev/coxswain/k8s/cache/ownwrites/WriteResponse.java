// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reading of the responses to writes. */
final class WriteResponse {

  private WriteResponse() {}

  static JsonObject metadata(JsonObject object) {
    return object.get("metadata") instanceof JsonObject metadata ? metadata : new JsonObject();
  }

  static String text(JsonObject json, String member) {
    JsonElement value = json.get(member);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }

  /**
   * Returns whether an object in a response does not exist any more: it is being deleted, without a
   * finalizer or a grace period left.
   */
  static boolean isGone(JsonObject object) {
    JsonObject metadata = metadata(object);
    boolean held = metadata.get("finalizers") instanceof JsonArray all && !all.isEmpty();
    String grace = text(metadata, "deletionGracePeriodSeconds");
    return !text(metadata, "deletionTimestamp").isEmpty()
        && !held
        && (grace.isEmpty() || grace.equals("0"));
  }

  /** Returns whether the response to a DELETE means that the object is gone at once. */
  static boolean isDeleted(JsonObject response) {
    return text(response, "kind").equals("Status")
        || text(metadata(response), "deletionTimestamp").isEmpty()
        || isGone(response);
  }

  /** Returns the incarnation that was deleted; empty when it is not in the response. */
  static String deletedUid(JsonObject response) {
    return response.get("details") instanceof JsonObject details
        ? text(details, "uid")
        : text(metadata(response), "uid");
  }

  static @Nullable Map<String, String> labels(JsonObject object) {
    if (!(metadata(object).get("labels") instanceof JsonObject labels)) {
      return null;
    }
    Map<String, String> all = new HashMap<>();
    labels.asMap().forEach((name, value) -> all.put(name, value.getAsString()));
    return all;
  }
}
