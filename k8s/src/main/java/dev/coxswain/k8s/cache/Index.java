// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A way to find objects quickly by something in them: "all Pods of this node".
 *
 * <p>An index is a constant of the controller that uses it; asking for the same one twice keeps one
 * table. There is an index of namespaces in every cache: see {@link ObjectReader#list(String)}.
 *
 * <p>Thread rule: immutable; {@link #values} is called on virtual threads.
 *
 * @param name what is looked up, for messages
 * @param values the values that an object is found by; empty for an object that is not to be found.
 *     What throws counts as empty and is reported
 * @param <T> the class of the objects
 */
public record Index<T extends KubernetesObject>(
    String name, Function<? super T, ? extends Collection<String>> values) {

  private static final Function<KubernetesObject, List<String>> OWNERS = Index::owners;

  public Index {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(values, "values");
  }

  /** Returns the index by the uid of each owner. All such indexes are equal. */
  public static <T extends KubernetesObject> Index<T> byOwnerUid() {
    return new Index<>("owner uid", OWNERS);
  }

  /** Returns whether an object has a value; false when the index throws, which is not reported. */
  public boolean has(T object, String value) {
    try {
      return values.apply(object).contains(value);
    } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
      return false;
    }
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
