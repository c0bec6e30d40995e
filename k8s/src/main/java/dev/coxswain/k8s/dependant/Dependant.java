// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one object that a controller makes for each primary object.
 *
 * <p>The functions depend on the primary object alone: they are called in each attempt, and send
 * nothing. What they throw ends the attempt.
 *
 * <p>Thread rule: immutable; the functions are called by several reconcilers at once.
 *
 * @param <P> the class of the primary objects
 * @param <D> the class of the dependants
 */
public final class Dependant<P extends KubernetesObject, D extends KubernetesObject> {

  private final Class<D> type;
  private final Function<P, Optional<D>> desired;
  private final Function<P, Request> key;
  private final Predicate<D> ready;

  private Dependant(
      Class<D> type,
      Function<P, Optional<D>> desired,
      Function<P, Request> key,
      Predicate<D> ready) {
    this.type = Objects.requireNonNull(type, "type");
    this.desired = Objects.requireNonNull(desired, "desired");
    this.key = Objects.requireNonNull(key, "key");
    this.ready = Objects.requireNonNull(ready, "ready");
  }

  /**
   * Declares a dependant with the namespace and the name of its primary object. It is ready when it
   * exists.
   *
   * @param type a model of the official client, or a class with a {@link
   *     dev.coxswain.k8s.resource.KubernetesResource} annotation
   * @param desired returns a new object with the fields to own, without status and without those
   *     that others set, such as replicas with an autoscaler; empty for no dependant: an existing one
   *     is deleted. Name, namespace and owner reference are filled in
   */
  public static <P extends KubernetesObject, D extends KubernetesObject> Dependant<P, D> of(
      Class<D> type, Function<P, Optional<D>> desired) {
    return new Dependant<>(type, desired, Dependant::sameKey, _ -> true);
  }

  /** Returns the same with other names, in the namespace of the primary object. */
  public Dependant<P, D> named(Function<P, String> name) {
    return at(primary -> new Request(sameKey(primary).namespace(), name.apply(primary)));
  }

  /**
   * Returns the same with other keys. They must not change during the life of a primary object: what
   * had another key before is not deleted.
   */
  public Dependant<P, D> at(Function<P, Request> keys) {
    return new Dependant<>(type, desired, keys, ready);
  }

  /** Returns the same with a condition on the existing object, such as on its status. */
  public Dependant<P, D> readyWhen(Predicate<D> condition) {
    return new Dependant<>(type, desired, key, condition);
  }

  Class<D> type() {
    return type;
  }

  Optional<D> desired(P primary) {
    return desired.apply(primary);
  }

  Request key(P primary) {
    return key.apply(primary);
  }

  boolean isReady(D observed) {
    return ready.test(observed);
  }

  static Request sameKey(KubernetesObject primary) {
    @Nullable String namespace = primary.getMetadata().getNamespace();
    return new Request(
        namespace == null ? "" : namespace,
        Objects.requireNonNull(primary.getMetadata().getName(), "the primary object has no name"));
  }
}
