// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.Collection;
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
   * Reconciles the requests that {@code mapping} returns for the watched object. It may block, on
   * reading another cache for instance, but delays the events of this source meanwhile.
   */
  public static <T extends KubernetesObject> EventHandler<T> map(
      Function<T, ? extends Collection<Request>> mapping) {
    return (event, requests) -> {
      mapping.apply(event.object()).forEach(requests);
      event.before().ifPresent(before -> mapping.apply(before).forEach(requests));
    };
  }

  private static <T extends KubernetesObject> EventHandler<T> owners(
      ResourceType<?> owner, boolean controllingOnly) {
    return (event, requests) -> {
      name(event.object(), owner, controllingOnly, requests);
      event.before().ifPresent(before -> name(before, owner, controllingOnly, requests));
    };
  }

  private static void name(
      KubernetesObject object,
      ResourceType<?> owner,
      boolean controllingOnly,
      Consumer<Request> requests) {
    for (V1OwnerReference reference : OwnerReferences.of(object)) {
      if (reference.getKind().equals(owner.kind())
          && group(reference.getApiVersion()).equals(owner.group())
          && (!controllingOnly || Boolean.TRUE.equals(reference.getController()))) {
        String namespace = object.getMetadata().getNamespace();
        requests.accept(
            new Request(
                owner.namespaced() && namespace != null ? namespace : "", reference.getName()));
      }
    }
  }

  /** The version of a reference may differ from the watched one. */
  private static String group(String apiVersion) {
    int slash = apiVersion.indexOf('/');
    return slash < 0 ? "" : apiVersion.substring(0, slash);
  }
}
