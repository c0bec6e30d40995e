// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.dependant.AppliedDependants.State;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One declared dependant with access to its objects: decides what to write, and writes it.
 *
 * <p>Thread rule: any thread that may block, several at once.
 */
record DependantUpdates<P extends KubernetesObject, D extends KubernetesObject>(
    Dependant<P, D> dependant,
    Resource<P> owners,
    KindSource<D> cache,
    Resource<D> objects,
    String controller,
    AppliedRevisions revisions) {

  private static final Logger log = LoggerFactory.getLogger(Dependants.class);

  static <P extends KubernetesObject, D extends KubernetesObject> DependantUpdates<P, D> of(
      ControllerBuilder controller, Class<P> owner, Dependant<P, D> dependant) {
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
      controller.owns(k8s.kind(dependant.type()).readYourWrites(k8s.ownWrites()));
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
    return new DependantUpdates<>(
        dependant, owners, sources.getFirst(), objects, controller.name(), new AppliedRevisions());
  }

  ResourceType<D> type() {
    return objects.type();
  }

  State apply(P primary) {
    Request key = dependant.key(primary);
    Optional<D> observed = cache.get(key);
    Optional<D> desired = dependant.desired(primary);
    if (desired.isEmpty()) {
      observed
          .filter(one -> OwnerReferences.isControlledBy(one, primary))
          .filter(one -> !isDeleting(one) && !isDeleting(primary))
          .ifPresent(one -> delete(primary, key, one));
      return State.NONE;
    }
    if (isDeleting(primary)) {
      return state(key, observed.filter(one -> OwnerReferences.isControlledBy(one, primary)));
    }
    if (observed.filter(DependantUpdates::isDeleting).isPresent()) {
      return state(key, Optional.empty());
    }
    return observed.isPresent()
        ? update(primary, key, observed.get(), desired.get())
        : create(primary, key);
  }

  /** What is created may begin to work, so an older primary object must not decide. */
  private State create(P primary, Request key) {
    Optional<P> now = current(primary);
    if (now.isEmpty()) {
      // It would be collected, and its event lead here again.
      return state(key, Optional.empty());
    }
    Optional<D> desired = dependant.desired(now.get());
    return desired.isEmpty() ? State.NONE : write(key, wanted(now.get(), key, desired.get()));
  }

  private State update(P primary, Request key, D observed, D desired) {
    AppliedState wanted = wanted(primary, key, desired);
    if (wanted.isIn(observed) || revisions.has(key, observed, wanted)) {
      return state(key, Optional.of(observed));
    }
    // The server would refuse a second controlling owner, too, in less clear words.
    OwnerReferences.setController(owners.type(), primary, Json.encode(observed));
    return write(key, wanted);
  }

  private AppliedState wanted(P primary, Request key, D desired) {
    return AppliedState.of(desired, key, owners.type(), primary);
  }

  /**
   * Applies first without force, since only a refusal names the fields that others have set. A
   * conflict would not go away by a retry, so that they are taken then.
   */
  private State write(Request key, AppliedState wanted) {
    D object = Json.decode(wanted.tree(), dependant.type());
    String conflict = "";
    D stored;
    try {
      stored = objects.apply(object, controller, false);
    } catch (ApiStatusException e) {
      if (!e.isFieldConflict()) {
        throw e;
      }
      conflict = type().kind() + " " + key + ": " + e.getMessage();
      stored = objects.apply(object, controller, true);
      log.atWarn()
          .addKeyValue("controller", controller)
          .addKeyValue("kind", type().kind())
          .addKeyValue("key", key)
          .addKeyValue("conflict", e.getMessage())
          .log("fields of a dependant were taken from other field managers");
    }
    revisions.put(key, stored, wanted);
    return state(key, Optional.of(stored).filter(one -> !isDeleting(one))).withConflict(conflict);
  }

  /** Returns the primary object as the server has it: a cache may show one that is gone. */
  private Optional<P> current(P primary) {
    String uid = Objects.requireNonNull(primary.getMetadata().getUid(), "no uid");
    return owners
        .get(owners.key(primary))
        .filter(now -> uid.equals(now.getMetadata().getUid()) && !isDeleting(now));
  }

  /**
   * What is deleted cannot be restored, so an older primary object must not decide. Nor must an
   * older dependant: it may have another owner by now.
   */
  private void delete(P primary, Request key, D observed) {
    if (current(primary).filter(now -> dependant.desired(now).isEmpty()).isPresent()) {
      String uid = Objects.requireNonNull(observed.getMetadata().getUid());
      String revision = Objects.requireNonNull(observed.getMetadata().getResourceVersion());
      objects.delete(key, DeleteOptions.BACKGROUND.withUid(uid).withResourceVersion(revision));
    }
  }

  private State state(Request key, Optional<D> present) {
    boolean ready = present.filter(dependant::isReady).isPresent();
    return new State(present.orElse(null), ready ? "" : type().kind() + " " + key, "");
  }

  private static boolean isDeleting(KubernetesObject object) {
    return object.getMetadata().getDeletionTimestamp() != null;
  }
}
