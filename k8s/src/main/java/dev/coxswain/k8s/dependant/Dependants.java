// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.dependant.AppliedDependants.State;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  private final ResourceType<P> primary;
  private final List<DependantUpdates<P, ?>> dependants = new ArrayList<>();

  private Dependants(ResourceType<P> primary) {
    this.primary = primary;
  }

  /**
   * Declares dependants and watches their kinds. A kind that {@code owns(selection)} has added
   * before keeps that source, such as one with a label selector that all its desired objects match.
   * The filters of the controller stop events of dependants too.
   *
   * @param controller the controller, after {@code forKind}
   * @param primary the class of the primary objects, that of {@code forKind}
   * @param dependants in the order in which they are applied
   * @throws IllegalStateException before {@code forKind}, or when {@code owns} has added several
   *     selections of a kind
   * @throws IllegalArgumentException when the controller reconciles another class, when a dependant
   *     is passed twice, or when one of a cluster-scoped kind belongs to a primary object in a
   *     namespace
   */
  @SafeVarargs
  public static <P extends KubernetesObject> Dependants<P> of(
      ControllerBuilder controller, Class<P> primary, Dependant<P, ?>... dependants) {
    if (controller.reconciled().type() != primary) {
      throw new IllegalArgumentException(
          "the controller reconciles "
              + controller.reconciled()
              + ", but the dependants are those of "
              + primary.getSimpleName());
    }
    Dependants<P> all = new Dependants<>(controller.kubernetes().resource(primary).type());
    Set<Dependant<P, ?>> declared = new HashSet<>();
    for (Dependant<P, ?> dependant : dependants) {
      if (!declared.add(dependant)) {
        throw new IllegalArgumentException(
            "a dependant of the class " + dependant.type().getSimpleName() + " is passed twice");
      }
      all.dependants.add(DependantUpdates.of(controller, primary, dependant));
    }
    return all;
  }

  /**
   * Brings all dependants of a primary object to their desired states, in the order of their
   * declaration. A dependant that was applied before and has still all that was applied is not
   * written. One that is being deleted is left alone; the event of its end leads to the next
   * attempt. Before a creation and a deletion the primary object is read from the server, and decides
   * as it is there: a cache may show an older one. Nothing is written for a primary object that is
   * being deleted.
   *
   * <p>Fields that other field managers have set to other values are taken from them; each time that
   * is logged, and in {@link AppliedDependants#conflicts}.
   *
   * <p>The first failure ends it, and a reconciler may let it escape: refusals of the server are
   * {@link dev.coxswain.k8s.client.ApiStatusException}, with status 409 for the deletion of an object
   * that has changed meanwhile. What has been written before stays.
   *
   * @param object the primary object as stored, with a uid
   * @throws dev.coxswain.k8s.resource.AlreadyControlledException when the object of that name has
   *     another controlling owner
   * @throws IllegalArgumentException when a desired object has another key than the declared one, is
   *     not in the namespace of the primary object, has a status or is one as stored; or when two
   *     dependants have the same key. Nothing is sent for that dependant
   */
  public AppliedDependants apply(P object) {
    requireDistinct(object);
    Map<Dependant<?, ?>, State> states = new LinkedHashMap<>();
    for (DependantUpdates<P, ?> dependant : dependants) {
      states.put(dependant.dependant(), dependant.apply(object));
    }
    return new AppliedDependants(states, object.getMetadata().getGeneration());
  }

  /** Two states of one object would replace each other for ever. */
  private void requireDistinct(P object) {
    Map<ResourceType<?>, Set<Request>> keys = new LinkedHashMap<>();
    keys.computeIfAbsent(primary, _ -> new HashSet<>()).add(Dependant.sameKey(object));
    for (DependantUpdates<P, ?> dependant : dependants) {
      Request key = dependant.dependant().key(object);
      if (!keys.computeIfAbsent(dependant.type(), _ -> new HashSet<>()).add(key)) {
        throw new IllegalArgumentException(
            "two objects have the key "
                + dependant.type().kind()
                + " "
                + key
                + ": declare another one with named(...) or at(...)");
      }
    }
  }
}
