// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.Map;

/**
 * Events are stored in their core form; this maps to and from {@code events.k8s.io/v1}. Any thread.
 */
public final class EventProjection {
  /** Names in the core form by names in the new form. */
  private static final Map<String, String> NAMES =
      Map.of(
          "regarding", "involvedObject",
          "note", "message",
          "reportingController", "reportingComponent",
          "deprecatedSource", "source",
          "deprecatedFirstTimestamp", "firstTimestamp",
          "deprecatedLastTimestamp", "lastTimestamp",
          "deprecatedCount", "count");

  private EventProjection() {}

  /** Renames the fields of the new form to the stored ones. */
  public static ObjectNode toCore(ObjectNode event) {
    ObjectNode core = Json.object();
    for (Map.Entry<String, JsonNode> e : event.properties()) {
      core.set(NAMES.getOrDefault(e.getKey(), e.getKey()), e.getValue());
    }
    return core.put("apiVersion", "v1");
  }

  /** Renames the stored fields to those of the new form. */
  public static ObjectNode toNew(ObjectNode core) {
    ObjectNode event = Json.object();
    for (Map.Entry<String, JsonNode> e : core.properties()) {
      event.set(newName(e.getKey()), e.getValue());
    }
    return event.put("apiVersion", "events.k8s.io/v1");
  }

  private static String newName(String core) {
    for (Map.Entry<String, String> e : NAMES.entrySet()) {
      if (e.getValue().equals(core)) {
        return e.getKey();
      }
    }
    return core;
  }
}
