// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Adds finalizers to objects and removes them. Other finalizers are not changed, and a concurrent
 * write leads to a retry.
 *
 * <p>Thread rule: any thread that may block.
 */
public final class Finalizers {

  private Finalizers() {}

  /** Returns whether an object has a finalizer. */
  public static boolean has(KubernetesObject object, String finalizer) {
    return of(object.getMetadata()).contains(finalizer);
  }

  /** Returns whether an object is being deleted and waits for its finalizers. */
  public static boolean isDeleting(KubernetesObject object) {
    V1ObjectMeta metadata = object.getMetadata();
    return metadata != null && metadata.getDeletionTimestamp() != null;
  }

  /**
   * Adds a finalizer to an object, unless it is present or the object is being deleted already.
   *
   * @param resource the resource
   * @param key the object
   * @param finalizer a qualified name such as {@code demo.coxswain.dev/cleanup}
   * @return the object as stored, or empty when there is none
   */
  public static <T extends KubernetesObject> Optional<T> add(
      Resource<T> resource, Request key, String finalizer) {
    return resource.modifyMetadata(
        key,
        metadata -> {
          if (metadata.getDeletionTimestamp() == null && !of(metadata).contains(finalizer)) {
            List<String> all = new ArrayList<>(of(metadata));
            all.add(finalizer);
            metadata.setFinalizers(all);
          }
        });
  }

  /**
   * Removes a finalizer from the object that has this name now; a deleted object is gone without
   * its last one. A reconciler that has cleaned up after one object uses {@link #remove(Resource,
   * KubernetesObject, String)}.
   *
   * @return the object as stored, or empty when there is none
   */
  public static <T extends KubernetesObject> Optional<T> remove(
      Resource<T> resource, Request key, String finalizer) {
    return remove(resource, key, finalizer, null);
  }

  /**
   * Removes a finalizer from this incarnation of an object. A new object of the same name keeps its
   * finalizer, because its cleanup has not run.
   *
   * @param object as read, with its uid; it may be an older version
   * @return the object stored under the name, or empty without one
   */
  public static <T extends KubernetesObject> Optional<T> remove(
      Resource<T> resource, T object, String finalizer) {
    return remove(resource, resource.key(object), finalizer, object.getMetadata().getUid());
  }

  private static <T extends KubernetesObject> Optional<T> remove(
      Resource<T> resource, Request key, String finalizer, @Nullable String uid) {
    return resource.modifyMetadata(
        key,
        metadata -> {
          boolean meant = uid == null || uid.equals(metadata.getUid());
          if (meant && of(metadata).contains(finalizer)) {
            List<String> all = new ArrayList<>(of(metadata));
            // An object may be created with the same one twice, and exists until both are removed.
            all.removeIf(finalizer::equals);
            metadata.setFinalizers(all);
          }
        });
  }

  private static List<String> of(@Nullable V1ObjectMeta metadata) {
    return metadata == null || metadata.getFinalizers() == null
        ? List.of()
        : metadata.getFinalizers();
  }
}
