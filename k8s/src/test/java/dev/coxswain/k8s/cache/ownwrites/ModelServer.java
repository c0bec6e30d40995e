// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The plainest possible API server: objects, versions, and the history of each name. */
final class ModelServer {

  /** The state of an object: its incarnation and its number, or its absence. */
  static final String ABSENT = "absent";

  /** A change as delivered by a watch with the selector {@code seen=yes}. */
  record Change(Request key, long version, @Nullable JsonObject object) {}

  final Map<Request, JsonObject> objects = new HashMap<>();
  final Map<Request, List<String>> history = new HashMap<>();
  final List<Change> changes = new ArrayList<>();
  long version = 7;
  private long counter;

  /** Returns what a reader with the selector sees of an object. */
  static String view(@Nullable JsonObject object) {
    return object == null || !isSelected(object)
        ? ABSENT
        : WriteResponse.text(WriteResponse.metadata(object), "uid")
            + "#"
            + WriteResponse.text(WriteResponse.metadata(object), "resourceVersion");
  }

  static boolean isSelected(JsonObject object) {
    return Objects.requireNonNull(WriteResponse.labels(object)).containsKey("seen");
  }

  List<String> history(Request key) {
    return history.computeIfAbsent(key, none -> new ArrayList<>(List.of(ABSENT)));
  }

  String uid(Request key) {
    JsonObject object = objects.get(key);
    return object == null ? "" : WriteResponse.text(WriteResponse.metadata(object), "uid");
  }

  /** Creates or changes an object and returns the answer. */
  JsonObject put(Request key, boolean selected, boolean held) {
    JsonObject before = objects.get(key);
    JsonObject metadata = new JsonObject();
    metadata.addProperty("namespace", key.namespace());
    metadata.addProperty("name", key.name());
    metadata.addProperty("uid", before == null ? "u" + ++counter : uid(key));
    JsonObject labels = new JsonObject();
    if (selected) {
      labels.addProperty("seen", "yes");
    }
    metadata.add("labels", labels);
    JsonArray finalizers = new JsonArray();
    if (held) {
      finalizers.add("a/b");
    }
    metadata.add("finalizers", finalizers);
    if (before != null && WriteResponse.metadata(before).has("deletionTimestamp")) {
      metadata.addProperty("deletionTimestamp", "2026-11-21T00:00:00Z");
    }
    JsonObject object = new JsonObject();
    object.addProperty("kind", "ConfigMap");
    object.add("metadata", metadata);
    if (WriteResponse.isGone(object)) {
      // The last finalizer is off: the answer is the object, and there is none any more.
      metadata.addProperty("resourceVersion", Long.toString(version));
      remove(key);
    } else {
      store(key, object);
    }
    return object.deepCopy();
  }

  /** Deletes an object, or begins to, and returns the answer. */
  JsonObject delete(Request key) {
    JsonObject object = Objects.requireNonNull(objects.get(key)).deepCopy();
    JsonObject metadata = WriteResponse.metadata(object);
    if (!metadata.getAsJsonArray("finalizers").isEmpty()) {
      metadata.addProperty("deletionTimestamp", "2026-11-21T00:00:00Z");
      store(key, object);
      return object.deepCopy();
    }
    JsonObject status = new JsonObject();
    JsonObject details = new JsonObject();
    details.addProperty("uid", uid(key));
    status.addProperty("kind", "Status");
    status.add("details", details);
    remove(key);
    return status;
  }

  private void store(Request key, JsonObject object) {
    version += 1 + counter++ % 3;
    WriteResponse.metadata(object).addProperty("resourceVersion", Long.toString(version));
    JsonObject before = objects.put(key, object);
    boolean told = isSelected(object) || (before != null && isSelected(before));
    if (told) {
      changes.add(new Change(key, version, isSelected(object) ? object : null));
    }
    history(key).add(view(object));
  }

  private void remove(Request key) {
    version++;
    JsonObject before = Objects.requireNonNull(objects.remove(key));
    if (isSelected(before)) {
      changes.add(new Change(key, version, null));
    }
    history(key).add(ABSENT);
  }

  /** Returns the selected objects. */
  Map<Request, JsonObject> list() {
    Map<Request, JsonObject> all = new HashMap<>();
    objects.forEach((key, object) -> {
      if (isSelected(object)) {
        all.put(key, object);
      }
    });
    return all;
  }

  /** Goes back to an earlier state, as after a restore from a backup. */
  void restore(Map<Request, JsonObject> backup, long backupVersion) {
    objects.clear();
    objects.putAll(backup);
    version = backupVersion;
    changes.clear();
    history.clear();
    objects.forEach((key, object) -> history.put(key, new ArrayList<>(List.of(view(object)))));
  }
}
