// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.dependant.DependantState.Reason;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One declared dependant with access to its objects: decides what to write, and writes it.
 *
 * <p>Thread rule: any thread that may block, several at once.
 *
 * @param id the names of controller and dependant, which objects of {@link Dependant#ofMany} have
 */
record DependantUpdates<P extends KubernetesObject, D extends KubernetesObject>(
    Dependant<P, D> dependant,
    Resource<P> owners,
    KindSource<D> cache,
    Resource<D> objects,
    String controller,
    String id,
    AppliedRevisions revisions) {

  private static final Logger log = LoggerFactory.getLogger(Dependants.class);

  /**
   * Watches the kind of a dependant.
   *
   * @param indexed whether the objects of that kind have to be found by their owner
   */
  static <P extends KubernetesObject, D extends KubernetesObject> DependantUpdates<P, D> of(
      ControllerBuilder controller, Class<P> owner, Dependant<P, D> dependant, boolean indexed) {
    var k8s = controller.kubernetes();
    Resource<P> owners = k8s.resource(owner);
    Resource<D> objects = k8s.resource(dependant.type());
    if (owners.type().namespaced() && !objects.type().namespaced()) {
      throw new IllegalArgumentException(
          objects.type()
              + " is cluster-scoped: "
              + owners.type()
              + " in a namespace cannot own its objects");
    }
    if (controller.owned(dependant.type()).isEmpty()) {
      var selection = k8s.kind(dependant.type()).readYourWrites(k8s.ownWrites());
      controller.owns(indexed ? selection.indexedBy(Index.byOwnerUid()) : selection);
    }
    List<KindSource<D>> sources = controller.owned(dependant.type());
    if (sources.size() > 1) {
      throw new IllegalStateException(
          "owns(...) has added "
              + sources.size()
              + " selections of "
              + dependant.type().getSimpleName()
              + ": dependants have one");
    }
    if (dependant.isMany() && !sources.getFirst().isIndexedBy(Index.byOwnerUid())) {
      throw new IllegalStateException(
          "ofMany(...) needs an index of "
              + dependant.type().getSimpleName()
              + ": add .indexedBy(Index.byOwnerUid()) to the selection of owns(...)");
    }
    return new DependantUpdates<>(
        dependant,
        owners,
        sources.getFirst(),
        objects,
        controller.name(),
        controller.name() + "/" + name(dependant, objects.type()),
        new AppliedRevisions());
  }

  private static String name(Dependant<?, ?> dependant, ResourceType<?> type) {
    return dependant.name().isEmpty() ? type.kind() : dependant.name();
  }

  String name() {
    return name(dependant, type());
  }

  ResourceType<D> type() {
    return objects.type();
  }

  String text(Request key) {
    return type().kind() + " " + key;
  }

  /**
   * Returns the objects in the cache that belong to this dependant and its primary object, also those
   * that are being deleted. What has another controlling owner is not among them.
   */
  Map<Request, D> cached(P primary) {
    return dependant.isMany() ? listed(primary) : single(primary, cache::get);
  }

  /**
   * Returns the same as the server has them, where they have a declared key: a cache may not show an
   * object yet.
   */
  Map<Request, D> stored(P primary) {
    return dependant.isMany() ? listed(primary) : single(primary, objects::get);
  }

  private Map<Request, D> listed(P primary) {
    Map<Request, D> found = new LinkedHashMap<>();
    cache.owned().list(Index.byOwnerUid(), uid(primary)).stream()
        .filter(one -> AppliedState.isOf(id, one))
        .filter(one -> OwnerReferences.isControlledBy(one, primary))
        .forEach(one -> found.put(objects.key(one), one));
    return found;
  }

  private Map<Request, D> single(P primary, Function<Request, Optional<D>> read) {
    Request key = dependant.key(primary);
    return read.apply(key)
        .filter(one -> OwnerReferences.isControlledBy(one, primary))
        .map(one -> Map.of(key, one))
        .orElse(Map.of());
  }

  /**
   * Deletes what is no longer desired.
   *
   * @param isNeeded whether an object of another dependant has to be gone before the last ones of
   *     this
   */
  void retire(P primary, BooleanSupplier isNeeded) {
    if (Finalizers.isDeleting(primary)) {
      return;
    }
    Optional<Map<Request, D>> desired = dependant.desired(primary);
    Set<Request> kept = desired.orElse(Map.of()).keySet();
    Map<Request, D> surplus = new LinkedHashMap<>(cached(primary));
    surplus
        .entrySet()
        .removeIf(one -> kept.contains(one.getKey()) || Finalizers.isDeleting(one.getValue()));
    if (!dependant.after().isEmpty()) {
      surplus.keySet().removeIf(key -> !leadsBack(key));
    }
    if (!surplus.isEmpty() && (desired.isPresent() || !isNeeded.getAsBoolean())) {
      surplus.forEach((key, observed) -> delete(primary, key, observed));
    }
  }

  /**
   * What is deleted cannot be restored, so an older primary object must not decide. Nor must an
   * older dependant: it may have another owner by now.
   */
  private void delete(P primary, Request key, D observed) {
    if (current(primary)
        .filter(now -> !dependant.desired(now).orElse(Map.of()).containsKey(key))
        .isPresent()) {
      delete(key, observed);
    }
  }

  /**
   * Returns whether the end of an object leads to the next attempt. One that comes and goes during
   * an outage of the watch causes no event; the event of its creation comes in any case.
   */
  private boolean leadsBack(Request key) {
    return cache.received().contains(key);
  }

  /** Deletes objects of a primary object that is being deleted, which does not end. */
  void delete(Map<Request, ? extends KubernetesObject> found) {
    found.forEach((key, observed) -> {
      if (!Finalizers.isDeleting(observed) && leadsBack(key)) {
        delete(key, observed);
      }
    });
  }

  /** What needs others is gone when its own objects, such as Pods, are gone: these need them too. */
  private void delete(Request key, KubernetesObject observed) {
    DeleteOptions options =
        dependant.after().isEmpty()
            ? DeleteOptions.BACKGROUND
            : DeleteOptions.BACKGROUND.withPropagation(DeleteOptions.Propagation.FOREGROUND);
    String uid = uid(observed);
    String revision = Objects.requireNonNull(observed.getMetadata().getResourceVersion());
    objects.delete(key, options.withUid(uid).withResourceVersion(revision));
  }

  /**
   * Creates and updates what is desired.
   *
   * @param waitsFor names of what has to be ready before
   * @param others returns names of objects that have to be gone before those of this
   */
  DependantState apply(P primary, List<String> waitsFor, Supplier<List<String>> others) {
    Optional<Map<Request, D>> desired = dependant.desired(primary);
    if (desired.isEmpty()) {
      return undesired(primary, others);
    }
    return waitsFor.isEmpty()
        ? update(primary, desired.get(), others)
        : waiting(primary, desired.get().keySet(), waitsFor);
  }

  private DependantState undesired(P primary, Supplier<List<String>> others) {
    if (!cached(primary).isEmpty()) {
      return DependantState.without(name(), Reason.DELETING, others.get());
    }
    List<String> missing =
        dependant
            .undesired(primary)
            .filter(one -> !one.equals(dependant))
            .map(one -> List.of(name(one, ResourceType.of(one.type()))))
            .orElse(List.of());
    return DependantState.without(name(), Reason.ABSENT, missing);
  }

  private DependantState waiting(P primary, Set<Request> keys, List<String> waitsFor) {
    List<D> present =
        keys.stream()
            .flatMap(key -> cache.get(key).stream())
            .filter(one -> OwnerReferences.isControlledBy(one, primary))
            .filter(one -> !Finalizers.isDeleting(one))
            .toList();
    // Never empty: what needs this waits too, also when this has an empty list.
    List<String> unready =
        keys.isEmpty() ? List.of("objects of " + name()) : keys.stream().map(this::text).toList();
    return new DependantState(name(), Reason.WAITING, present, waitsFor, unready, List.of());
  }

  private DependantState update(P primary, Map<Request, D> desired, Supplier<List<String>> others) {
    Map<Request, D> observed = new LinkedHashMap<>();
    desired.keySet().forEach(key -> cache.get(key).ifPresent(one -> observed.put(key, one)));
    boolean deleting = Finalizers.isDeleting(primary);
    Optional<P> now =
        deleting || observed.size() == desired.size() ? Optional.empty() : current(primary);
    Optional<Map<Request, D>> latest = now.flatMap(dependant::desired);
    if (now.isPresent() && latest.isEmpty()) {
      return undesired(now.get(), others);
    }
    List<D> present = new ArrayList<>();
    List<String> unready = new ArrayList<>();
    List<String> conflicts = new ArrayList<>();
    desired.forEach((key, wanted) -> {
      Optional<D> stored = Optional.ofNullable(observed.get(key));
      if (deleting) {
        stored = stored.filter(one -> OwnerReferences.isControlledBy(one, primary));
      } else if (stored.isPresent()) {
        stored = update(primary, key, stored.get(), wanted, conflicts);
      } else if (latest.isPresent()) {
        // What is created may begin to work, so an older primary object must not decide.
        @Nullable D fresh = latest.get().get(key);
        if (fresh == null) {
          return;
        }
        stored = write(key, wanted(primary, key, fresh), conflicts);
      }
      // Without a primary object it would be collected, and its event lead here again.
      stored.ifPresent(present::add);
      if (stored.filter(dependant::isReady).isEmpty()) {
        unready.add(text(key));
      }
    });
    Reason reason = unready.isEmpty() ? Reason.APPLIED : Reason.NOT_READY;
    return new DependantState(name(), reason, present, unready, unready, conflicts);
  }

  private Optional<D> update(
      P primary, Request key, D observed, D desired, List<String> conflicts) {
    if (Finalizers.isDeleting(observed)) {
      return Optional.empty();
    }
    AppliedState wanted = wanted(primary, key, desired);
    if (wanted.isIn(observed) || revisions.has(key, observed, wanted)) {
      return Optional.of(observed);
    }
    // The server would refuse a second controlling owner, too, in less clear words.
    OwnerReferences.setController(owners.type(), primary, Json.encode(observed));
    return write(key, wanted, conflicts);
  }

  private AppliedState wanted(P primary, Request key, D desired) {
    return AppliedState.of(desired, key, owners.type(), primary, dependant.isMany() ? id : "");
  }

  /**
   * Applies first without force, since only a refusal names the fields that others have set. A
   * conflict would not go away by a retry, so that they are taken then.
   */
  private Optional<D> write(Request key, AppliedState wanted, List<String> conflicts) {
    D object = Json.decode(wanted.tree(), dependant.type());
    D stored;
    try {
      stored = objects.apply(object, controller, false);
    } catch (ApiStatusException e) {
      if (!e.isFieldConflict()) {
        throw e;
      }
      conflicts.add(text(key) + ": " + e.getMessage());
      stored = objects.apply(object, controller, true);
      log.atWarn()
          .addKeyValue("controller", controller)
          .addKeyValue("kind", type().kind())
          .addKeyValue("key", key)
          .addKeyValue("conflict", e.getMessage())
          .log("fields of a dependant were taken from other field managers");
    }
    revisions.put(key, stored, wanted);
    return Optional.of(stored).filter(one -> !Finalizers.isDeleting(one));
  }

  /** Returns the primary object as the server has it: a cache may show one that is gone. */
  private Optional<P> current(P primary) {
    String uid = uid(primary);
    return owners
        .get(owners.key(primary))
        .filter(now -> uid.equals(now.getMetadata().getUid()) && !Finalizers.isDeleting(now));
  }

  private static String uid(KubernetesObject object) {
    return Objects.requireNonNull(object.getMetadata().getUid(), "no uid");
  }
}
