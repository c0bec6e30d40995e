// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * The namespaces of a test class at a cluster: each that a test uses is created, and has to be new.
 *
 * <p>Thread rule: any thread; blocks.
 */
final class ClusterNamespaces {

  private static final String PATH = "/api/v1/namespaces";

  private final ApiTransport transport;
  private final String run;

  /** The UIDs by the names. */
  private final Map<String, String> own = new LinkedHashMap<>();

  ClusterNamespaces(ApiTransport transport, String run) {
    this.transport = transport;
    this.run = run;
  }

  synchronized boolean owns(String name) {
    return own.containsKey(name);
  }

  /**
   * Creates a namespace unless this class has done so.
   *
   * @throws TestAbortedException when it was there before
   * @throws IllegalStateException when it is that of another run, or is being deleted and stays
   */
  synchronized void require(String name) {
    if (own.containsKey(name)) {
      return;
    }
    Optional<JsonObject> present = ClusterResources.get(transport, PATH + "/" + name);
    if (present.isPresent()) {
      refuse(name, present.get().getAsJsonObject("metadata"));
      awaitDeleted(name);
    }
    try {
      JsonObject made =
          transport.write(
              "POST",
              PATH,
              Map.of(),
              ClusterResources.named("v1", "Namespace", name, run),
              ApiTransport.JSON);
      own.put(name, Json.text(made.get("metadata"), "uid"));
    } catch (ApiStatusException e) {
      if (!e.isAlreadyExists()) {
        throw e;
      }
      throw new IllegalStateException("another run has just made namespace \"" + name + "\"", e);
    }
  }

  /**
   * Refuses writes to a namespace that this class has not made; one that does not exist is left to the
   * server.
   *
   * @throws TestAbortedException when it was there before
   * @throws IllegalStateException when it is that of another run
   */
  void check(String name) {
    if (!owns(name)) {
      ClusterResources.get(transport, PATH + "/" + name)
          .ifPresent(now -> refuse(name, now.getAsJsonObject("metadata")));
    }
  }

  /** Notes a namespace that a test has made itself. */
  synchronized void made(String name, String uid) {
    own.put(name, uid);
  }

  private static void refuse(String name, JsonObject metadata) {
    String other = Json.text(metadata.get("labels"), ClusterResources.RUN);
    if (other.isEmpty()) {
      throw new TestAbortedException(
          ("the test uses namespace \"%s\", which was in the cluster before and may have objects of"
                  + " others; name one that this cluster does not have")
              .formatted(name));
    }
    if (!metadata.has("deletionTimestamp")) {
      throw new IllegalStateException(
          ("namespace \"%s\" is used by test run %s: wait for its end; if it was killed, delete what"
                  + " it has left: kubectl delete namespaces,crd -l %s=%s")
              .formatted(name, other, ClusterResources.RUN, other));
    }
  }

  private void awaitDeleted(String name) {
    if (!ClusterResources.await(
        () -> ClusterResources.get(transport, PATH + "/" + name).isEmpty())) {
      throw new IllegalStateException(
          "namespace \"%s\" of an earlier run is still being deleted after %s s: a finalizer holds an object, or no namespace controller runs"
              .formatted(name, ClusterResources.PATIENCE.toSeconds()));
    }
  }

  /** Deletes them all; they end later. Adds a message for each that cannot be deleted. */
  synchronized void delete(List<String> messages) {
    own.forEach((name, uid) ->
        ClusterResources.attempt(
            "namespace " + name,
            messages,
            () -> ClusterResources.delete(transport, PATH + "/" + name, uid)));
  }

  /** Returns those that have not ended. */
  synchronized List<String> left() {
    List<String> left = new ArrayList<>();
    own.forEach((name, uid) -> {
      if (ClusterResources.isThere(transport, PATH + "/" + name, uid)) {
        left.add("namespace " + name);
      }
    });
    return left;
  }
}
