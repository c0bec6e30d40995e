// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import com.google.gson.JsonObject;

/**
 * The identity of an Event; Events with equal keys are counted as one.
 *
 * <p>Thread rule: immutable.
 */
record EventKey(
    String apiVersion,
    String kind,
    String namespace,
    String name,
    String uid,
    String type,
    String reason,
    String action,
    String note) {

  /** Returns a key of the object alone. */
  EventKey object() {
    return new EventKey(apiVersion, kind, namespace, name, uid, "", "", "", "");
  }

  /** Returns this key with another note. */
  EventKey withNote(String other) {
    return new EventKey(apiVersion, kind, namespace, name, uid, type, reason, action, other);
  }

  /** Writes everything but the note into an Event. */
  void describe(JsonObject event) {
    JsonObject regarding = new JsonObject();
    regarding.addProperty("apiVersion", apiVersion);
    regarding.addProperty("kind", kind);
    regarding.addProperty("name", name);
    if (!namespace.isEmpty()) {
      regarding.addProperty("namespace", namespace);
    }
    if (!uid.isEmpty()) {
      regarding.addProperty("uid", uid);
    }
    event.add("regarding", regarding);
    event.addProperty("type", type);
    event.addProperty("reason", reason);
    event.addProperty("action", action);
  }
}
