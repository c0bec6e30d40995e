// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import com.google.gson.JsonObject;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.Backoff;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The three controllers, of different shape, and what they have done.
 *
 * <ul>
 *   <li>{@code status}: typed, generation predicate, finalizer, status write. It writes the
 *       generation in its cache, so a generation without an event stays unobserved.
 *   <li>{@code hot}: unstructured, label selector; keeps a copy of what is selected.
 *   <li>{@code child}: keeps a ConfigMap for each parent, with an owner reference, and repairs it.
 * </ul>
 *
 * <p>Thread rule: any thread.
 */
final class Captains {

  private static final int CONCURRENCY = 8;

  /** What the copy of the unstructured controller holds. */
  record Seen(String uid, long generation, long value) {}

  private final Fleet fleet;
  private final Resource<Ship> ships;
  private final Resource<V1ConfigMap> maps;

  private final KindSource<Ship> all;
  private final KindSource<Unstructured> hot;
  private final KindSource<Ship> parents;
  private final Map<String, KindSource<V1ConfigMap>> children = new HashMap<>();

  private final Ledger allLedger = new Ledger("status: all ships");
  private final Ledger hotLedger = new Ledger("hot: selected ships");
  private final Ledger parentLedger = new Ledger("child: parents");
  private final Map<String, Ledger> childLedgers = new HashMap<>();

  /** Uids of guarded ships that hold something outside of the cluster. */
  private final Set<String> held = ConcurrentHashMap.newKeySet();

  private final Map<Request, Seen> seen = new ConcurrentHashMap<>();

  Captains(Kubernetes k8s, Fleet fleet) {
    this.fleet = fleet;
    ships = k8s.resource(fleet.ships());
    maps = k8s.resource(V1ConfigMap.class);
    all =
        k8s.kind(fleet.ships())
            .filter(Predicates.generationChanged())
            .handledBy(allLedger.around(Handlers.object()))
            .toSource();
    hot =
        k8s.kind(fleet.anyShips())
            .labels(Fleet.HOT + "=true")
            .handledBy(hotLedger.around(Handlers.object()))
            .toSource();
    parents =
        k8s.kind(fleet.ships())
            .labels(Fleet.CREW + "=true")
            .handledBy(parentLedger.around(Handlers.object()))
            .toSource();
    for (String namespace : fleet.namespaces()) {
      Ledger ledger = new Ledger("child: children in " + namespace);
      childLedgers.put(namespace, ledger);
      children.put(
          namespace,
          k8s.kind(V1ConfigMap.class)
              .inNamespace(namespace)
              .labels(fleet.childSelector())
              .handledBy(ledger.around(Handlers.owner(fleet.ships())))
              .toSource());
    }
  }

  /** Returns the controllers, to be deployed. */
  List<Controller<Request>> controllers() {
    Controller.Builder<Request> child = Controller.named("child").watches(parents);
    children.values().forEach(child::watches);
    return List.of(
        Controller.named("status")
            .watches(all)
            .options(Captains::brisk)
            .reconciles((request, context) -> writeStatus(request)),
        Controller.named("hot")
            .watches(hot)
            .options(Captains::brisk)
            .reconciles((request, context) -> copy(request)),
        child.options(Captains::brisk).reconciles((request, context) -> keepChild(request)));
  }

  /** A backoff of 1000 s would outlast the storm. */
  private static ControllerOptions brisk(ControllerOptions options) {
    return options
        .withConcurrency(CONCURRENCY)
        .withBackoff(Backoff.exponential(Duration.ofMillis(20), Duration.ofSeconds(1)));
  }

  private Result writeStatus(Request request) {
    Optional<Ship> found = all.get(request);
    if (found.isEmpty()) {
      return Result.done();
    }
    Ship ship = found.get();
    if (Finalizers.isDeleting(ship)) {
      if (Finalizers.has(ship, Fleet.FINALIZER)) {
        held.remove(ship.uid());
        Finalizers.remove(ships, request, Fleet.FINALIZER);
      }
      return Result.done();
    }
    if (ship.wanted().guarded() && !Finalizers.has(ship, Fleet.FINALIZER)) {
      // What a finalizer guards is taken only when the server has the finalizer.
      Optional<Ship> stored = Finalizers.add(ships, request, Fleet.FINALIZER);
      if (stored.filter(s -> Finalizers.has(s, Fleet.FINALIZER)).isEmpty()) {
        return Result.requeue();
      }
      ship = stored.get();
    }
    if (ship.wanted().guarded()) {
      held.add(ship.uid());
    }
    Ship.Status status = ship.status;
    if (status != null
        && Objects.equals(status.observedGeneration(), ship.generation())
        && Objects.equals(status.value(), ship.wanted().value())) {
      return Result.done();
    }
    ships.patchStatus(request, statusPatch(ship));
    return Result.done();
  }

  /** Tied to the version, so that a patch that arrives late cannot undo a later one. */
  private static JsonObject statusPatch(Ship ship) {
    JsonObject metadata = new JsonObject();
    metadata.addProperty("resourceVersion", ship.getMetadata().getResourceVersion());
    JsonObject status = new JsonObject();
    status.addProperty("observedGeneration", ship.generation());
    status.addProperty("value", ship.wanted().value());
    JsonObject patch = new JsonObject();
    patch.add("metadata", metadata);
    patch.add("status", status);
    return patch;
  }

  private Result copy(Request request) {
    hot.get(request)
        .ifPresentOrElse(ship -> seen.put(request, seen(ship)), () -> seen.remove(request));
    return Result.done();
  }

  private static Seen seen(Unstructured ship) {
    return new Seen(
        ship.at("metadata", "uid").orElseThrow().getAsString(),
        ship.at("metadata", "generation").orElseThrow().getAsLong(),
        ship.at("spec", "value").orElseThrow().getAsLong());
  }

  private Result keepChild(Request request) {
    Optional<Ship> found = parents.get(request).filter(ship -> !Finalizers.isDeleting(ship));
    if (found.isEmpty()) {
      return Result.done(); // the garbage collector takes the child
    }
    Ship parent = found.get();
    KindSource<V1ConfigMap> cache = Objects.requireNonNull(children.get(request.namespace()));
    Request key = childOf(request);
    if (cache.get(key).filter(child -> isChild(child, parent)).isPresent()) {
      return Result.done();
    }
    Optional<V1ConfigMap> stored = maps.get(key);
    if (stored.isPresent() && !isControlledBy(stored.get(), parent)) {
      // Of a parent of this name that is no more; what is made in between is not meant.
      maps.delete(
          key,
          DeleteOptions.BACKGROUND.withUid(
              Objects.requireNonNull(metadata(stored.get()).getUid())));
      return Result.requeue();
    }
    maps.createOrPatch(
        key,
        V1ConfigMap::new,
        child -> {
          metadata(child).setLabels(new HashMap<>(Map.of(Fleet.CHILD, fleet.suffix())));
          child.setData(new HashMap<>(Map.of("value", "" + parent.wanted().value())));
          OwnerReferences.setController(fleet.ships(), parent, child);
        });
    return Result.done();
  }

  /** Returns the key of the child that a ship with a crew has. */
  static Request childOf(Request ship) {
    return Request.of(ship.namespace(), ship.name() + "-child");
  }

  /** Returns whether this is what the child of {@code parent} should be. */
  static boolean isChild(V1ConfigMap child, Ship parent) {
    Map<String, String> data = child.getData();
    return isControlledBy(child, parent)
        && data != null
        && ("" + parent.wanted().value()).equals(data.get("value"));
  }

  private static boolean isControlledBy(V1ConfigMap child, Ship parent) {
    return OwnerReferences.controllerOf(child)
        .filter(owner -> owner.getUid().equals(parent.uid()))
        .isPresent();
  }

  private static V1ObjectMeta metadata(V1ConfigMap map) {
    return Objects.requireNonNull(map.getMetadata());
  }

  KindSource<Ship> all() {
    return all;
  }

  KindSource<Unstructured> hot() {
    return hot;
  }

  KindSource<Ship> parents() {
    return parents;
  }

  List<V1ConfigMap> cachedChildren() {
    List<V1ConfigMap> found = new ArrayList<>();
    children.values().forEach(source -> found.addAll(source.list()));
    return found;
  }

  /** Returns the uid of the child of a ship, if it is in the cache. */
  Optional<String> shownChild(Request ship) {
    return Objects.requireNonNull(children.get(ship.namespace()))
        .get(childOf(ship))
        .map(child -> Objects.requireNonNull(metadata(child).getUid()));
  }

  Set<String> held() {
    return Set.copyOf(held);
  }

  Map<Request, Seen> seen() {
    return Map.copyOf(seen);
  }

  Ledger allLedger() {
    return allLedger;
  }

  Ledger hotLedger() {
    return hotLedger;
  }

  Ledger parentLedger() {
    return parentLedger;
  }

  Ledger childLedger(String namespace) {
    return Objects.requireNonNull(childLedgers.get(namespace));
  }

  /** Returns all ledgers. */
  List<Ledger> ledgers() {
    List<Ledger> found = new ArrayList<>(List.of(allLedger, hotLedger, parentLedger));
    found.addAll(childLedgers.values());
    return found;
  }

  /** How many caches, and so watches, they need. */
  int watches() {
    return 3 + children.size();
  }
}
