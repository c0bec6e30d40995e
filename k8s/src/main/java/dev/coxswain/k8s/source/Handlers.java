// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The common handlers. Owner and mapping handlers also process the old state of an updated object,
 * so that an object whose owner changes leads to requests for both.
 *
 * <p>Thread rule: any thread; stateless.
 */
public final class Handlers {

  private Handlers() {}

  /** Reconciles the object itself. */
  public static <T extends KubernetesObject> EventHandler<T> object() {
    return new EventHandler<>() {
      @Override
      public void handle(ObjectEvent<T> event, Consumer<Request> requests) {
        requests.accept(event.key());
      }

      @Override
      public Optional<ObjectKeys> keys() {
        return Optional.of(ObjectKeys.SELF);
      }

      @Override
      public boolean namesObjects() {
        return true;
      }
    };
  }

  /**
   * Reconciles the object that controls the watched one by an owner reference, when it is of the
   * given resource.
   */
  public static <T extends KubernetesObject> EventHandler<T> owner(ResourceType<?> owner) {
    return owners(owner, true);
  }

  /** As {@link #owner(ResourceType)}, with the resource of a class. */
  public static <T extends KubernetesObject> EventHandler<T> owner(
      Class<? extends KubernetesObject> owner) {
    return owner(ResourceType.of(owner));
  }

  /** Reconciles every object of the given resource that owns the watched one. */
  public static <T extends KubernetesObject> EventHandler<T> anyOwner(ResourceType<?> owner) {
    return owners(owner, false);
  }

  /**
   * Reconciles the requests that {@code mapping} returns for the watched object. All objects are
   * kept for it, also in a sharded controller; see {@link #mapByMetadata}. It may block, on
   * reading another cache for instance, but delays the events of this source meanwhile.
   */
  public static <T extends KubernetesObject> EventHandler<T> map(
      Function<T, ? extends Collection<Request>> mapping) {
    return (event, requests) -> {
      mapping.apply(event.object()).forEach(requests);
      event.before().ifPresent(before -> mapping.apply(before).forEach(requests));
    };
  }

  /**
   * As {@link #map}, for a mapping that reads nothing but the metadata of the object. So a sharded
   * controller keeps only the objects that map to its own requests. Pass the same function to each
   * source of a resource, not a new one each time; a {@link KindSelection#transformedBy transform}
   * must not change the metadata that it reads.
   */
  public static <T extends KubernetesObject> EventHandler<T> mapByMetadata(
      Function<V1ObjectMeta, ? extends Collection<Request>> mapping) {
    return new StaticHandler<>(new MetadataKeys(mapping));
  }

  private static <T extends KubernetesObject> EventHandler<T> owners(
      ResourceType<?> owner, boolean controllingOnly) {
    return new StaticHandler<>(
        new OwnerKeys(owner.kind(), owner.group(), owner.namespaced(), controllingOnly));
  }

  /** Handles the states before and after an event. */
  private record StaticHandler<T extends KubernetesObject>(StateKeys of)
      implements EventHandler<T> {

    @Override
    public void handle(ObjectEvent<T> event, Consumer<Request> requests) {
      of.of(event.object(), requests);
      event.before().ifPresent(before -> of.of(before, requests));
    }

    @Override
    public Optional<ObjectKeys> keys() {
      return Optional.of(of);
    }
  }
}
