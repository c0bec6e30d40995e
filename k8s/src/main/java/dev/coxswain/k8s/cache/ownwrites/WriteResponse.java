// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what a server has answered to a write. */
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
   * Returns whether an object that a server has answered with does not exist any more: its deletion
   * has begun, and nothing holds it.
   */
  static boolean isGone(JsonObject object) {
    JsonObject metadata = metadata(object);
    boolean held = metadata.get("finalizers") instanceof JsonArray all && !all.isEmpty();
    String grace = text(metadata, "deletionGracePeriodSeconds");
    return !text(metadata, "deletionTimestamp").isEmpty()
        && !held
        && (grace.isEmpty() || grace.equals("0"));
  }

  /** Returns whether the answer to a DELETE says that the object is gone at once. */
  static boolean isDeleted(JsonObject answer) {
    return text(answer, "kind").equals("Status")
        || text(metadata(answer), "deletionTimestamp").isEmpty()
        || isGone(answer);
  }

  /** Returns the incarnation that was deleted; empty when the answer does not say. */
  static String deletedUid(JsonObject answer) {
    return answer.get("details") instanceof JsonObject details
        ? text(details, "uid")
        : text(metadata(answer), "uid");
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
