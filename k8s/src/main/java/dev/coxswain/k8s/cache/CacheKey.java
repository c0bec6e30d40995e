// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.k8s.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Objects;

/**
 * What a cache holds. Users that ask for the same key share one cache and one watch.
 *
 * <p>Thread rule: immutable.
 *
 * @param type the resource and the class of its objects
 * @param namespace the namespace, empty for all
 * @param labelSelector a label selector that the server applies, empty for all
 * @param fieldSelector a field selector that the server applies, empty for all
 */
public record CacheKey<T extends KubernetesObject>(
    ResourceType<T> type, String namespace, String labelSelector, String fieldSelector) {

  public CacheKey {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(labelSelector, "labelSelector");
    Objects.requireNonNull(fieldSelector, "fieldSelector");
    if (!type.namespaced() && !namespace.isEmpty()) {
      throw new IllegalArgumentException(
          type + " is cluster-scoped and cannot be watched in namespace \"" + namespace + "\"");
    }
  }

  /** Returns a text for people: {@code "ConfigMap labels a=b in ns"}. */
  @Override
  public String toString() {
    return type.kind()
        + (labelSelector.isEmpty() ? "" : " labels " + labelSelector)
        + (fieldSelector.isEmpty() ? "" : " fields " + fieldSelector)
        + (namespace.isEmpty() ? "" : " in " + namespace);
  }
}
