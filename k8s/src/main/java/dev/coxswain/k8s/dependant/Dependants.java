// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

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
   * @param dependants in the order in which they are applied; one that is {@link Dependant#after}
   *     others follows them, so that no cycle can be declared
   * @throws IllegalStateException before {@code forKind}, when {@code owns} has added several
   *     selections of a kind, or one without an index by owner for {@link Dependant#ofMany}
   * @throws IllegalArgumentException when the controller reconciles another class, when a dependant
   *     is passed twice, before one that it needs or without it, when two have the same name, or when
   *     one of a cluster-scoped kind belongs to a primary object in a namespace
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
    Set<Class<?>> many = new HashSet<>();
    Set<Dependant<P, ?>> declared = new HashSet<>();
    for (Dependant<P, ?> dependant : dependants) {
      if (!declared.containsAll(dependant.after())) {
        throw new IllegalArgumentException(
            text(dependant)
                + " is after another one that is not passed before it: pass the same constant that"
                + " after(...) names, and pass it first; two that need each other are a cycle");
      }
      if (!declared.add(dependant)) {
        throw new IllegalArgumentException(text(dependant) + " is passed twice");
      }
      if (dependant.isMany()) {
        many.add(dependant.type());
      }
    }
    Dependants<P> all = new Dependants<>(controller.kubernetes().resource(primary).type());
    Set<String> names = new HashSet<>();
    for (Dependant<P, ?> dependant : dependants) {
      DependantUpdates<P, ?> updates =
          DependantUpdates.of(controller, primary, dependant, many.contains(dependant.type()));
      if (!names.add(updates.name())) {
        throw new IllegalArgumentException(
            "two dependants have the name " + updates.name() + ": give one another with as(...)");
      }
      all.dependants.add(updates);
    }
    return all;
  }

  private static String text(Dependant<?, ?> dependant) {
    return "a dependant of the class " + dependant.type().getSimpleName() + " " + dependant.name();
  }

  /**
   * Brings all dependants of a primary object to their desired states: first deletes what is no
   * longer desired, in the reverse order of declaration, then applies in that order. A dependant
   * that is {@link Dependant#after} others is left as it is while one of them is not ready; it
   * {@linkplain AppliedDependants#waiting waits}, and the event of the other one leads to the next
   * attempt. Others are deleted when it is gone.
   *
   * <p>A dependant that was applied before and has still all that was applied is not written. One
   * that is being deleted is left alone; the event of its end leads to the next attempt. Before
   * creations and each deletion the primary object is read from the server, and decides as it is
   * there: a cache may show an older one. Nothing is written for a primary object that is being
   * deleted.
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
   *     not in the namespace of the primary object, has a status or is one as stored; when two
   *     dependants have the same key; or when a function returns too many. Nothing is sent for that
   *     dependant
   */
  public AppliedDependants apply(P object) {
    requireDistinct(object);
    dependants.reversed().forEach(one -> one.retire(object, () -> isNeeded(one, object)));
    Map<Dependant<?, ?>, DependantState> states = new LinkedHashMap<>();
    for (DependantUpdates<P, ?> one : dependants) {
      List<String> waitsFor =
          one.dependant().after().stream()
              .map(states::get)
              .filter(Objects::nonNull)
              .filter(state -> !state.isReady())
              .flatMap(state -> state.unready().stream())
              .toList();
      states.put(one.dependant(), one.apply(object, waitsFor, () -> needingObjects(one, object)));
    }
    return new AppliedDependants(states, object.getMetadata().getGeneration());
  }

  /**
   * Deletes the dependants of a primary object that is being deleted, in the reverse order of {@link
   * Dependant#after}: each when those that need it are gone. It is a cleanup of a finalizer, in steps:
   * the event of one that is gone leads to the next attempt.
   *
   * {@snippet :
   * finalizers.registerSteps("example.com/dependants", dependants::delete);
   * }
   *
   * @param object the primary object as stored, with its finalizer
   * @return whether all are gone
   * @throws IllegalStateException when the object is not being deleted
   * @throws dev.coxswain.k8s.client.ApiStatusException as of {@link #apply}
   */
  public boolean delete(P object) {
    if (!Finalizers.isDeleting(object)) {
      throw new IllegalStateException(
          primary.kind()
              + " "
              + Dependant.sameKey(object)
              + " is not being deleted, so its dependants stay");
    }
    Map<DependantUpdates<P, ?>, Map<Request, ? extends KubernetesObject>> found =
        new LinkedHashMap<>();
    dependants.reversed().forEach(one -> found.put(one, one.stored(object)));
    found.forEach((one, objects) -> {
      if (needing(one).allMatch(other -> found.getOrDefault(other, Map.of()).isEmpty())) {
        one.delete(objects);
      }
    });
    return found.values().stream().allMatch(Map::isEmpty);
  }

  /** Returns those that are after a dependant, directly or not. */
  private Stream<DependantUpdates<P, ?>> needing(DependantUpdates<P, ?> needed) {
    return dependants.stream().filter(one -> one.dependant().needs(needed.dependant()));
  }

  private List<String> needingObjects(DependantUpdates<P, ?> needed, P object) {
    return needing(needed)
        .flatMap(one -> one.cached(object).keySet().stream().map(one::text))
        .toList();
  }

  /** The server is read only when the cache shows none. */
  private boolean isNeeded(DependantUpdates<P, ?> needed, P object) {
    return needing(needed).anyMatch(one -> !one.cached(object).isEmpty())
        || needing(needed).anyMatch(one -> !one.stored(object).isEmpty());
  }

  /** Two states of one object would replace each other for ever. */
  private void requireDistinct(P object) {
    Map<ResourceType<?>, Set<Request>> keys = new LinkedHashMap<>();
    keys.computeIfAbsent(primary, _ -> new HashSet<>()).add(Dependant.sameKey(object));
    for (DependantUpdates<P, ?> dependant : dependants) {
      Set<Request> taken = keys.computeIfAbsent(dependant.type(), _ -> new HashSet<>());
      for (Request key : dependant.dependant().keys(object)) {
        if (!taken.add(key)) {
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
}
