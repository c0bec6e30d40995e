// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.internal.resource.TypedCopy;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Owner references: a dependant is deleted with its owner, and its events lead to requests for the
 * owner.
 *
 * <p>An owner must be in the same namespace as its dependant, or cluster-scoped. An object has at
 * most one controlling owner.
 *
 * <p>Two references to the same group, kind and name are the same owner in two incarnations. The
 * reference to the present one replaces the other, whose object is gone, and keeps its control; so
 * the dependant survives when its owner is deleted and recreated. The version of the API is not
 * compared.
 *
 * <p>Thread rule: any thread; the dependant is changed in place and must not be shared.
 */
public final class OwnerReferences {

  private OwnerReferences() {}

  /**
   * Makes {@code owner} the controlling owner of {@code dependant}.
   *
   * @param type the resource of the owner
   * @param owner an object as stored, with a uid
   * @param dependant the object to be written afterwards
   * @throws AlreadyControlledException when an object of another group, kind or name controls it
   *     already
   * @throws IllegalArgumentException when the owner has no uid, or is in a namespace and the
   *     dependant is not in the same one; one without a name and a namespace gets both later
   */
  public static <T extends KubernetesObject> void setController(
      ResourceType<T> type, T owner, KubernetesObject dependant) {
    controllerOf(dependant)
        .filter(other -> !isSame(other, type, owner.getMetadata()))
        .ifPresent(other -> {
          throw new AlreadyControlledException(name(dependant), other);
        });
    put(type, owner, dependant, true);
  }

  /**
   * Makes {@code owner} one of the owners of {@code dependant}; if it controls it already, it still
   * does.
   *
   * @throws IllegalArgumentException when the owner has no uid, or is in a namespace and the
   *     dependant is not in the same one; one without a name and a namespace gets both later
   */
  public static <T extends KubernetesObject> void add(
      ResourceType<T> type, T owner, KubernetesObject dependant) {
    put(type, owner, dependant, false);
  }

  /**
   * Makes {@code owner} the controlling owner of an object that is a JSON tree, as {@link
   * #setController(ResourceType, KubernetesObject, KubernetesObject)}.
   *
   * @param dependant the whole object, with metadata; changed
   */
  public static <T extends KubernetesObject> void setController(
      ResourceType<T> type, T owner, JsonObject dependant) {
    JsonObject metadata = dependant.getAsJsonObject("metadata");
    TypedCopy<V1ObjectMeta> copy = TypedCopy.of(metadata, V1ObjectMeta.class);
    setController(type, owner, new PartialObjectMetadata(null, null, copy.object()));
    metadata.add("ownerReferences", copy.changedTo(copy.object()).get("ownerReferences"));
  }

  /**
   * Removes {@code owner} from the owners of {@code dependant}, also a reference to an earlier
   * incarnation.
   *
   * @return whether there was a reference
   */
  public static <T extends KubernetesObject> boolean remove(
      ResourceType<T> type, T owner, KubernetesObject dependant) {
    refuseUnstructured(dependant);
    List<V1OwnerReference> all = new ArrayList<>(of(dependant));
    boolean removed = all.removeIf(other -> isSame(other, type, owner.getMetadata()));
    if (removed) {
      dependant.getMetadata().setOwnerReferences(all);
    }
    return removed;
  }

  /** Returns whether this incarnation of {@code owner} owns an object, controlling it or not. */
  public static boolean isOwnedBy(KubernetesObject object, KubernetesObject owner) {
    return of(object).stream().anyMatch(reference -> isTo(owner, reference));
  }

  /** Returns whether this incarnation of {@code owner} controls an object. */
  public static boolean isControlledBy(KubernetesObject object, KubernetesObject owner) {
    return controllerOf(object).filter(reference -> isTo(owner, reference)).isPresent();
  }

  private static boolean isTo(KubernetesObject owner, V1OwnerReference reference) {
    String uid = owner.getMetadata().getUid();
    return uid != null && uid.equals(reference.getUid());
  }

  /** Returns the controlling owner of an object. */
  public static Optional<V1OwnerReference> controllerOf(KubernetesObject object) {
    return of(object).stream().filter(ref -> Boolean.TRUE.equals(ref.getController())).findFirst();
  }

  /** Returns all owners of an object. */
  public static List<V1OwnerReference> of(KubernetesObject object) {
    V1ObjectMeta metadata = object.getMetadata();
    return metadata == null || metadata.getOwnerReferences() == null
        ? List.of()
        : metadata.getOwnerReferences();
  }

  private static <T extends KubernetesObject> void put(
      ResourceType<T> type, T owner, KubernetesObject dependant, boolean controller) {
    refuseUnstructured(dependant);
    V1ObjectMeta of = owner.getMetadata();
    V1ObjectMeta to = dependant.getMetadata();
    if (of.getUid() == null || of.getName() == null) {
      throw new IllegalArgumentException(
          "the owner \""
              + of.getName()
              + "\" has no uid: use the object as the server returned it");
    }
    @Nullable String ownerNamespace = type.namespaced() ? of.getNamespace() : null;
    // A new object of createOrPatch has neither name nor namespace yet: it gets those of its
    // request.
    boolean placed = to.getName() != null || to.getNamespace() != null;
    if (placed && ownerNamespace != null && !ownerNamespace.equals(to.getNamespace())) {
      throw new IllegalArgumentException(
          "\""
              + of.getName()
              + "\" in \""
              + ownerNamespace
              + "\" cannot own "
              + (to.getNamespace() == null
                  ? "\"" + name(dependant) + "\", which is in no namespace"
                  : "\"" + name(dependant) + "\" in \"" + to.getNamespace() + "\"")
              + ": owner references do not cross namespaces");
    }
    List<V1OwnerReference> all = new ArrayList<>(of(dependant));
    boolean controls = controller;
    for (V1OwnerReference present : all) {
      controls |= isSame(present, type, of) && Boolean.TRUE.equals(present.getController());
    }
    V1OwnerReference reference =
        new V1OwnerReference()
            .apiVersion(type.apiVersion())
            .kind(type.kind())
            .name(of.getName())
            .uid(of.getUid());
    if (controls) {
      reference.controller(true).blockOwnerDeletion(true);
    }
    all.removeIf(other -> isSame(other, type, of));
    all.add(reference);
    to.setOwnerReferences(all);
  }

  private static void refuseUnstructured(KubernetesObject dependant) {
    if (dependant instanceof Unstructured) {
      throw new IllegalArgumentException(
          "an unstructured object does not change: change the owner references of its JSON tree");
    }
  }

  /** Returns whether a reference means this owner, in this incarnation or in an earlier one. */
  private static boolean isSame(
      V1OwnerReference reference, ResourceType<?> type, V1ObjectMeta owner) {
    return Objects.equals(reference.getUid(), owner.getUid())
        || (Objects.equals(reference.getKind(), type.kind())
            && Objects.equals(reference.getName(), owner.getName())
            && group(reference.getApiVersion()).equals(type.group()));
  }

  private static String group(@Nullable String apiVersion) {
    int slash = apiVersion == null ? -1 : apiVersion.indexOf('/');
    return slash < 0 || apiVersion == null ? "" : apiVersion.substring(0, slash);
  }

  private static String name(KubernetesObject object) {
    return String.valueOf(object.getMetadata().getName());
  }
}
