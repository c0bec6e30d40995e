// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.dependant.AppliedDependants.State;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The dependants of a controller: watched, applied server-side and deleted.
 *
 * {@snippet :
 * ControllerBuilder builder = k8s.controller("memcached").forKind(Memcached.class);
 * Dependants<Memcached> dependants = Dependants.of(builder, Memcached.class, deployment, service);
 * }
 *
 * <p>A dependant belongs to its primary object by a controlling owner reference, so its events lead
 * to requests for that, and Kubernetes deletes it after that. Its fields belong to the field manager
 * with the name of the controller. An existing object without a controlling owner is taken over.
 *
 * <p>Thread rule: any thread that may block, several at once.
 *
 * @param <P> the class of the primary objects
 */
public final class Dependants<P extends KubernetesObject> {

  private final List<Declaration<P, ?>> declarations = new ArrayList<>();

  private Dependants() {}

  /**
   * Declares dependants and watches their kinds. A kind that the controller watches already keeps
   * its source: for a selector, call {@code owns(selection)} before this.
   *
   * @param controller the controller, after {@code forKind}
   * @param primary the class of the primary objects
   * @param dependants in the order in which they are applied
   */
  @SafeVarargs
  public static <P extends KubernetesObject> Dependants<P> of(
      ControllerBuilder controller, Class<P> primary, Dependant<P, ?>... dependants) {
    Dependants<P> all = new Dependants<>();
    for (Dependant<P, ?> dependant : dependants) {
      all.declarations.add(Declaration.of(controller, primary, dependant));
    }
    return all;
  }

  /**
   * Brings all dependants of a primary object to their desired states, in the order of their
   * declaration. A dependant that was applied before and has still all that was applied is not
   * written. One that is being deleted is left alone; the event of its end leads to the next
   * attempt. Before a creation and a deletion the primary object is read from the server, since a cache
   * may show an older one. Nothing is written for a primary object that is being deleted.
   *
   * <p>The first failure ends it, and a reconciler may let it escape: conflicts and refusals of the
   * server are {@link dev.coxswain.k8s.client.ApiStatusException}. Fields are taken from other
   * managers without a conflict.
   *
   * @param primary as stored, with a uid
   * @throws dev.coxswain.k8s.resource.AlreadyControlledException when the object of that name has
   *     another controlling owner
   * @throws IllegalArgumentException when a desired object has another key than the declared one, or
   *     is not in the namespace of the primary object
   */
  public AppliedDependants apply(P primary) {
    Map<Dependant<?, ?>, State> states = new LinkedHashMap<>();
    for (Declaration<P, ?> declaration : declarations) {
      states.put(declaration.dependant(), declaration.apply(primary));
    }
    return new AppliedDependants(states, primary.getMetadata().getGeneration());
  }

  private static boolean isDeleting(KubernetesObject object) {
    return object.getMetadata().getDeletionTimestamp() != null;
  }

  /** One declaration, with access to its objects. */
  private record Declaration<P extends KubernetesObject, D extends KubernetesObject>(
      Dependant<P, D> dependant,
      Resource<P> owners,
      KindSource<D> cache,
      Resource<D> objects,
      String fieldManager) {

    static <P extends KubernetesObject, D extends KubernetesObject> Declaration<P, D> of(
        ControllerBuilder controller, Class<P> owner, Dependant<P, D> dependant) {
      var k8s = controller.kubernetes();
      if (!controller.isWatching(dependant.type())) {
        controller.owns(k8s.kind(dependant.type()).readYourWrites(k8s.ownWrites()));
      }
      return new Declaration<>(
          dependant,
          k8s.resource(owner),
          controller.source(dependant.type()),
          k8s.resource(dependant.type()),
          controller.name());
    }

    State apply(P primary) {
      Request key = dependant.key(primary);
      Optional<D> observed = cache.get(key);
      Optional<D> own = observed.filter(one -> OwnerReferences.isControlledBy(one, primary));
      Optional<D> desired = dependant.desired(primary);
      if (desired.isEmpty()) {
        own.filter(one -> !isDeleting(one) && !isDeleting(primary))
            .ifPresent(one -> delete(primary, key, one));
        return new State(null, "");
      }
      if (isDeleting(primary)) {
        return state(key, own);
      }
      if (observed.filter(Dependants::isDeleting).isPresent()) {
        return state(key, Optional.empty());
      }
      AppliedState wanted = AppliedState.of(desired.get(), key, owners.type(), primary);
      if (observed.filter(wanted::isIn).isPresent()) {
        return state(key, observed);
      }
      if (observed.isEmpty() && current(primary).isEmpty()) {
        return state(key, observed); // it would be collected, and its event lead here again
      }
      // The server would refuse a second controlling owner, too, in less clear words.
      observed.ifPresent(
          one -> OwnerReferences.setController(owners.type(), primary, Json.encode(one)));
      D object = Json.decode(wanted.tree(), dependant.type());
      return state(key, Optional.of(objects.apply(object, fieldManager, true)));
    }

    /** Returns the primary object as the server has it: a cache may show one that is gone. */
    private Optional<P> current(P primary) {
      String uid = Objects.requireNonNull(primary.getMetadata().getUid());
      return owners
          .get(owners.key(primary))
          .filter(now -> uid.equals(now.getMetadata().getUid()) && !isDeleting(now));
    }

    /** What is deleted cannot be restored, so an older primary object must not decide. */
    private void delete(P primary, Request key, D observed) {
      if (current(primary).filter(now -> dependant.desired(now).isEmpty()).isPresent()) {
        String uid = Objects.requireNonNull(observed.getMetadata().getUid());
        objects.delete(key, DeleteOptions.BACKGROUND.withUid(uid));
      }
    }

    private State state(Request key, Optional<D> present) {
      boolean ready = present.filter(dependant::isReady).isPresent();
      return new State(present.orElse(null), ready ? "" : objects.type().kind() + " " + key);
    }
  }
}
