// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.TransientFailure;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An index of objects by values in them: "all Pods of this node".
 *
 * <p>An index is a constant of the controller that uses it; equal ones share one table. Every cache
 * has an index of namespaces: see {@link Lister#list(String)}.
 *
 * <p>Thread rule: immutable; {@link #values} is called on virtual threads.
 *
 * @param name its name, for messages
 * @param values returns the values of an object; empty for an object that is not indexed. When it
 *     throws, or the object does not fit its class, the object stays in the cache and is delivered
 *     to all listeners; the failure is reported and counted, and queries of this index throw {@link
 *     FailedException} until the object is gone or has changed so that it does not throw
 * @param <T> the class of the objects
 */
public record Index<T extends KubernetesObject>(
    String name, Function<? super T, ? extends Collection<String>> values) {

  private static final String REFERENCES = "ownerReferences";

  private static final Function<KubernetesObject, List<String>> OWNERS = Index::owners;

  public Index {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(values, "values");
  }

  /** Returns the index by the uid of each owner. All such indexes are equal. */
  public static <T extends KubernetesObject> Index<T> byOwnerUid() {
    return new Index<>("owner uid", OWNERS);
  }

  /**
   * Returns whether an object has a value.
   *
   * @throws FailedException when the index throws
   */
  public boolean has(T object, String value) {
    try {
      return values.apply(object).contains(value);
    } catch (Throwable e) {
      @Nullable V1ObjectMeta metadata = object.getMetadata();
      throw failed(metadata == null ? "an object" : String.valueOf(metadata.getName()), 1, e);
    }
  }

  /**
   * Returns the values of a stored object; {@link #byOwnerUid} needs its metadata only.
   *
   * @throws UndecodableObjectException when it does not fit its class; what {@link #values} throws
   *     is thrown too
   */
  public Collection<String> of(Request key, Entry entry, Class<T> type) {
    return values.equals(OWNERS)
        ? ownersIn(entry.metadata(Set.of(REFERENCES)))
        : values.apply(entry.decode(key, type));
  }

  /**
   * Returns whether a stored object has a value.
   *
   * @throws FailedException when it does not fit its class or the index throws
   */
  public boolean has(Request key, Entry entry, Class<T> type, String value) {
    try {
      return of(key, entry, type).contains(value);
    } catch (Throwable e) {
      throw failed(key, 1, e);
    }
  }

  public FailedException failed(Object key, int objects, @Nullable Throwable cause) {
    return new FailedException(
        "the index \""
            + name
            + "\" threw at "
            + key
            + (objects > 1 ? " and " + (objects - 1) + " other objects" : "")
            + ", so its results may be incomplete: "
            + (cause == null ? "unknown" : UserCode.text(cause)),
        cause);
  }

  /**
   * Failure of a query because some objects, which might be missing, do not fit their class or the
   * index function threw for them. A
   * handler or mapping that throws it, also as a cause, receives its event again after a growing
   * pause.
   *
   * <p>Thread rule: immutable.
   */
  public static final class FailedException extends IllegalStateException
      implements TransientFailure {
    private static final long serialVersionUID = 1;

    FailedException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  private static List<String> ownersIn(JsonObject metadata) {
    List<String> owners = new ArrayList<>();
    if (metadata.get(REFERENCES) instanceof JsonArray references) {
      references.forEach(reference -> owners.add(Json.text(reference, "uid")));
      owners.removeIf(String::isEmpty);
    }
    return owners;
  }

  private static List<String> owners(KubernetesObject object) {
    @Nullable V1ObjectMeta metadata = object.getMetadata();
    @Nullable List<V1OwnerReference> owners =
        metadata == null ? null : metadata.getOwnerReferences();
    return owners == null
        ? List.of()
        : owners.stream().map(V1OwnerReference::getUid).filter(Objects::nonNull).toList();
  }
}
