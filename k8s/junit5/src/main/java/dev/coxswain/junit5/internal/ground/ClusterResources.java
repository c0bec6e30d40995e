// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The objects that a test has made at a cluster, through its user or its controllers. Only these are
 * changed and deleted outside of the namespaces of the test.
 *
 * <p>Thread rule: any thread; blocks.
 */
final class ClusterResources {

  /** The label of what a run has made. */
  static final String RUN = "coxswain.dev/test-run";

  /** How long a deletion is waited for. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration POLL = Duration.ofMillis(100);

  private record Made(String uid, boolean ofUser) {}

  private final ApiTransport transport;

  /** By their paths, the oldest first. */
  private final Map<String, Made> made = new LinkedHashMap<>();

  /** The paths of those that have had their time to end. */
  private final Set<String> awaited = new HashSet<>();

  ClusterResources(ApiTransport transport) {
    this.transport = transport;
  }

  /** Notes an object that was made. */
  synchronized void add(String path, String uid, boolean ofUser) {
    made.put(path, new Made(uid, ofUser));
  }

  synchronized boolean contains(String path) {
    return made.containsKey(path);
  }

  /** Deletes the objects of the user, and waits until controllers have let them go. */
  void deleteThoseOfUser() {
    Map<String, Made> own = some(Made::ofUser);
    own.forEach((path, one) -> delete(transport, path, one.uid));
    await(() -> left(own).isEmpty());
    synchronized (this) {
      awaited.addAll(own.keySet());
    }
  }

  /**
   * Deletes all objects, also with finalizers: no controller runs any more.
   *
   * @return what could not be deleted, or only without its finalizers; empty for nothing
   */
  List<String> deleteAll() {
    Map<String, Made> all = some(_ -> true);
    List<String> messages = new ArrayList<>();
    all.forEach((path, one) -> attempt(path, messages, () -> delete(transport, path, one.uid)));
    // The cluster has controllers of its own, such as that of load balancers.
    Map<String, Made> others = new LinkedHashMap<>(all);
    synchronized (this) {
      others.keySet().removeAll(awaited);
    }
    await(() -> left(others).isEmpty());
    Map<String, Made> held = new LinkedHashMap<>(all);
    held.keySet().retainAll(left(all));
    held.forEach((path, one) ->
        attempt(
            path,
            messages,
            () -> {
              if (removeFinalizers(path, one)) {
                messages.add("the finalizers of " + path + " were removed: no controller did");
              }
            }));
    await(() -> left(all).isEmpty());
    left(all).forEach(path -> messages.add(path + " is left"));
    synchronized (this) {
      made.clear();
      awaited.clear();
    }
    return messages;
  }

  /** Runs a part of the clean-up; one that fails is a message, and the others run all the same. */
  static void attempt(String what, List<String> messages, Runnable part) {
    try {
      part.run();
    } catch (ApiStatusException e) {
      messages.add(what + ": " + e.getMessage());
    }
  }

  private synchronized Map<String, Made> some(Predicate<Made> which) {
    Map<String, Made> some = new LinkedHashMap<>(made);
    some.values().removeIf(which.negate());
    return some;
  }

  private List<String> left(Map<String, Made> some) {
    return some.entrySet().stream()
        .filter(one -> mayBeThere(one.getKey(), one.getValue().uid))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns whether there were some; an object may also end in its own time. */
  private boolean removeFinalizers(String path, Made one) {
    boolean none =
        get(transport, path)
            .map(now -> now.getAsJsonObject("metadata").getAsJsonArray("finalizers"))
            .filter(finalizers -> !finalizers.isEmpty())
            .isEmpty();
    if (none) {
      return false;
    }
    JsonObject metadata = new JsonObject();
    metadata.addProperty("uid", one.uid); // of this object only
    metadata.add("finalizers", JsonNull.INSTANCE);
    JsonObject patch = new JsonObject();
    patch.add("metadata", metadata);
    try {
      transport.write("PATCH", path, Map.of(), patch, ApiTransport.MERGE_PATCH);
      return true;
    } catch (ApiStatusException e) {
      if (e.isNotFound() || e.isConflict()) {
        return false; // it has gone meanwhile
      }
      throw e;
    }
  }

  /** A server that does not answer has it for all that is known. */
  private boolean mayBeThere(String path, String uid) {
    try {
      return isThere(transport, path, uid);
    } catch (ApiStatusException e) {
      return true;
    }
  }

  /** Returns an object with a name and the label of a run. */
  static JsonObject named(String apiVersion, String kind, String name, String run) {
    JsonObject labels = new JsonObject();
    labels.addProperty(RUN, run);
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", name);
    metadata.add("labels", labels);
    JsonObject object = new JsonObject();
    object.addProperty("apiVersion", apiVersion);
    object.addProperty("kind", kind);
    object.add("metadata", metadata);
    return object;
  }

  /** Reads an object. */
  static Optional<JsonObject> get(ApiTransport transport, String path) {
    try {
      return Optional.of(transport.get(path, Map.of()));
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Returns whether an object exists that is not a later one of the same name. */
  static boolean isThere(ApiTransport transport, String path, String uid) {
    return get(transport, path)
        .filter(now -> Json.text(now.get("metadata"), "uid").equals(uid))
        .isPresent();
  }

  /** Deletes an object, and no later one of the same name. */
  static void delete(ApiTransport transport, String path, String uid) {
    JsonObject preconditions = new JsonObject();
    preconditions.addProperty("uid", uid);
    JsonObject options = new JsonObject();
    options.addProperty("apiVersion", "v1");
    options.addProperty("kind", "DeleteOptions");
    options.addProperty("propagationPolicy", "Background");
    options.add("preconditions", preconditions);
    try {
      transport.write("DELETE", path, Map.of(), options, ApiTransport.JSON);
    } catch (ApiStatusException e) {
      if (!e.isNotFound() && !e.isConflict()) {
        throw e;
      }
    }
  }

  /** Waits until a condition holds, and returns whether it does. */
  static boolean await(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
    return true;
  }
}
