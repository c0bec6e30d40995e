// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import com.google.gson.JsonParser;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What a run has in a cluster: two namespaces and a definition, and all that is in them.
 *
 * <p>Thread rule: one thread; blocks.
 */
final class Installation {

  static final ResourceType<Unstructured> DEFINITIONS =
      ResourceType.unstructured(
          "apiextensions.k8s.io",
          "v1",
          "customresourcedefinitions",
          "CustomResourceDefinition",
          false);

  /** A cluster empties a namespace of thousands of objects in its own time. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Fleet fleet;
  private final Resource<V1Namespace> namespaces;
  private final Resource<Unstructured> definitions;
  private final Resource<Ship> ships;

  Installation(Kubernetes k8s, Fleet fleet) {
    this.fleet = fleet;
    namespaces = k8s.resource(V1Namespace.class);
    definitions = k8s.resource(DEFINITIONS);
    ships = k8s.resource(fleet.ships());
  }

  /** Creates everything and waits until the definition is served. */
  void create() {
    for (String namespace : fleet.namespaces()) {
      namespaces.create(
          new V1Namespace()
              .metadata(
                  new V1ObjectMeta().name(namespace).labels(Map.of(Fleet.RUN, fleet.suffix()))));
    }
    definitions.create(
        Unstructured.of(JsonParser.parseString(fleet.definition()).getAsJsonObject()));
    await("the definition to be served", this::isServed);
  }

  /** A real server takes a moment and returns 404 or 429 meanwhile. */
  private boolean isServed() {
    try {
      ships.list(ListOptions.ALL);
      return true;
    } catch (ApiStatusException e) {
      if (e.isNotFound() || e.code() == 429) {
        return false;
      }
      throw e;
    }
  }

  /** Deletes everything, as much of it as there is, and waits until it is gone. */
  void remove() {
    Request definition = Request.of(fleet.definitionName());
    if (definitions.get(definition).isPresent()) {
      // The controller that would take it off has stopped.
      for (Ship ship : stored()) {
        Finalizers.remove(ships, ships.key(ship), Fleet.FINALIZER);
      }
      definitions.delete(definition);
    }
    List<Request> all = fleet.namespaces().stream().map(Request::of).toList();
    all.forEach(namespaces::delete);
    await(
        "everything of run " + fleet.suffix() + " to be deleted",
        () ->
            definitions.get(definition).isEmpty()
                && all.stream().allMatch(one -> namespaces.get(one).isEmpty()));
  }

  private List<Ship> stored() {
    try {
      return ships.list(ListOptions.ALL);
    } catch (ApiStatusException e) {
      if (e.isApiMissing()) {
        return List.of(); // never served, so there are none
      }
      throw e;
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("waited " + PATIENCE + " in vain for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
    }
  }
}
