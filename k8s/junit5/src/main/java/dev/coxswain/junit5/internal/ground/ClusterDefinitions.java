// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.opentest4j.TestAbortedException;

/**
 * The CustomResourceDefinitions of a test class at a cluster. One that was there before is used as it
 * is when it is the same.
 *
 * <p>Thread rule: the thread of the tests; blocks.
 */
final class ClusterDefinitions {

  static final String KIND = "CustomResourceDefinition";

  private static final String PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final Map<String, String> APPLY =
      Map.of("fieldManager", ClusterGround.MANAGER, "force", "true");

  private record Made(String uid, String generation) {
    static Made of(JsonObject stored) {
      JsonElement metadata = stored.get("metadata");
      return new Made(Json.text(metadata, "uid"), Json.text(metadata, "generation"));
    }
  }

  private final ApiTransport transport;
  private final String run;
  private final Map<String, Made> made = new LinkedHashMap<>();

  ClusterDefinitions(ApiTransport transport, String run) {
    this.transport = transport;
    this.run = run;
  }

  /**
   * Applies a definition and waits until its objects are served.
   *
   * @throws TestAbortedException when another one was in the cluster before
   * @throws IllegalStateException when it is that of another run, or is not served
   */
  void install(JsonObject definition) {
    String name = Json.text(definition.get("metadata"), "name");
    Optional<JsonObject> present = ClusterResources.get(transport, PATH + "/" + name);
    if (present.isPresent() && present.get().getAsJsonObject("metadata").has("deletionTimestamp")) {
      if (!ClusterResources.await(
          () -> ClusterResources.get(transport, PATH + "/" + name).isEmpty())) {
        throw new IllegalStateException("definition \"" + name + "\" is still being deleted");
      }
      present = Optional.empty();
    }
    if (present.isPresent() && !made.containsKey(name)) {
      requireSame(name, definition, present.get());
    } else {
      JsonObject labelled = definition.deepCopy();
      JsonObject metadata = labelled.getAsJsonObject("metadata");
      if (!metadata.has("labels")) {
        metadata.add("labels", new JsonObject());
      }
      metadata.getAsJsonObject("labels").addProperty(ClusterResources.RUN, run);
      made.put(name, Made.of(write(name, labelled, present.isPresent())));
    }
    awaitServed(name, definition);
  }

  /** Creates it, so that it is not one that another run has made meanwhile, or changes its own. */
  private JsonObject write(String name, JsonObject definition, boolean exists) {
    return exists
        ? transport.write("PATCH", PATH + "/" + name, APPLY, definition, ApiTransport.APPLY_PATCH)
        : transport.write(
            "POST",
            PATH,
            Map.of("fieldManager", ClusterGround.MANAGER),
            definition,
            ApiTransport.JSON);
  }

  /** What the server would store must be what it has. */
  private void requireSame(String name, JsonObject definition, JsonObject present) {
    String other =
        Json.text(present.getAsJsonObject("metadata").get("labels"), ClusterResources.RUN);
    if (!other.isEmpty()) {
      throw new IllegalStateException(
          ("definition \"%s\" is used by test run %s: wait for its end; if it was killed, delete what"
                  + " it has left: kubectl delete namespaces,crd -l %s=%s")
              .formatted(name, other, ClusterResources.RUN, other));
    }
    JsonObject instead = definition.deepCopy();
    instead
        .getAsJsonObject("metadata")
        .addProperty("resourceVersion", Json.text(present.get("metadata"), "resourceVersion"));
    JsonObject would =
        transport.write(
            "PUT", PATH + "/" + name, Map.of("dryRun", "All"), instead, ApiTransport.JSON);
    if (!Objects.equals(would.get("spec"), present.get("spec"))) {
      throw new TestAbortedException(
          ("definition \"%s\" was in the cluster before and differs from that of the test; use a"
                  + " cluster without it")
              .formatted(name));
    }
  }

  private void awaitServed(String name, JsonObject definition) {
    JsonObject spec = definition.getAsJsonObject("spec");
    String plural = Json.text(spec.get("names"), "plural");
    for (JsonElement version : spec.getAsJsonArray("versions")) {
      if (Json.text(version, "served").equals("true")) {
        String path =
            "/apis/%s/%s/%s"
                .formatted(Json.text(spec, "group"), Json.text(version, "name"), plural);
        if (!ClusterResources.await(() -> isServed(path))) {
          throw new IllegalStateException(
              "the objects of definition \"%s\" are not served at %s".formatted(name, path));
        }
      }
    }
  }

  /** A server takes a moment, and returns 404, 429 or 503 meanwhile. */
  private boolean isServed(String path) {
    try {
      transport.get(path, Map.of("limit", "1"));
      return true;
    } catch (ApiStatusException e) {
      if (e.isNotFound() || e.code() == 429 || e.code() == 503) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Deletes those that this class has made, unless others have changed them or have objects of them.
   *
   * @param owns whether a namespace is one of the tests
   * @return those that are left on purpose, with the reason
   */
  List<String> delete(Predicate<String> owns) {
    List<String> kept = new ArrayList<>();
    made.forEach((name, one) ->
        ClusterResources.attempt("definition " + name, kept, () -> delete(name, one, owns, kept)));
    return kept;
  }

  private void delete(String name, Made one, Predicate<String> owns, List<String> kept) {
    JsonObject now = ClusterResources.get(transport, PATH + "/" + name).orElse(null);
    if (now == null || !Made.of(now).uid.equals(one.uid)) {
      return;
    }
    if (!Made.of(now).equals(one)) {
      kept.add("definition " + name + ", which another client has changed");
    } else if (isUsed(now, owns)) {
      kept.add("definition " + name + ", of which others have objects");
    } else {
      ClusterResources.delete(transport, PATH + "/" + name, one.uid);
    }
  }

  private boolean isUsed(JsonObject definition, Predicate<String> owns) {
    JsonObject spec = definition.getAsJsonObject("spec");
    for (JsonElement version : spec.getAsJsonArray("versions")) {
      if (Json.text(version, "served").equals("true")) {
        String path =
            "/apis/%s/%s/%s"
                .formatted(
                    Json.text(spec, "group"),
                    Json.text(version, "name"),
                    Json.text(spec.get("names"), "plural"));
        for (JsonElement item : transport.get(path, Map.of()).getAsJsonArray("items")) {
          String namespace = Json.text(item.getAsJsonObject().get("metadata"), "namespace");
          if (namespace.isEmpty() || !owns.test(namespace)) {
            return true; // those of the tests without a namespace have been deleted
          }
        }
        return false; // each version has all objects
      }
    }
    return false;
  }

  /** Returns those that are still being deleted. */
  List<String> left() {
    return made.entrySet().stream()
        .filter(one ->
            ClusterResources.get(transport, PATH + "/" + one.getKey())
                .map(now -> now.getAsJsonObject("metadata"))
                .filter(now -> Json.text(now, "uid").equals(one.getValue().uid))
                .filter(now -> now.has("deletionTimestamp"))
                .isPresent())
        .map(one -> "definition " + one.getKey())
        .toList();
  }
}
