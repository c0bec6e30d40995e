// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.informer.InformerRegistry;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The caches of a source, one per namespace, with their indexes.
 *
 * <p>Thread rule: immutable.
 *
 * @param full whether all objects are needed, also in a sharded controller
 */
record CacheSelection<T extends KubernetesObject>(
    List<CacheKey<T>> keys, Set<Index<T>> indexes, boolean full) {

  CacheSelection {
    keys = List.copyOf(keys);
    indexes = Set.copyOf(indexes);
  }

  CacheSelection<T> inNamespaces(Set<String> namespaces) {
    if (namespaces.isEmpty()) {
      throw new IllegalArgumentException("name at least one namespace to watch");
    }
    if (namespaces.size() > 1 && namespaces.contains("")) {
      throw new IllegalArgumentException(
          "all namespaces (\"\") and some of them cannot be watched by one source: " + namespaces);
    }
    CacheKey<T> any = keys.getFirst();
    return new CacheSelection<>(
        new TreeSet<>(namespaces).stream().map(any::inNamespace).toList(), indexes, full);
  }

  CacheSelection<T> each(UnaryOperator<CacheKey<T>> change) {
    return new CacheSelection<>(keys.stream().map(change).toList(), indexes, full);
  }

  CacheSelection<T> indexedBy(Index<T> index) {
    Set<Index<T>> all = new HashSet<>(indexes);
    all.add(index);
    return new CacheSelection<>(keys, all, full);
  }

  CacheSelection<T> inFull() {
    return new CacheSelection<>(keys, indexes, true);
  }

  /** Returns the only key; throws when there are several. */
  CacheKey<T> only(String what) {
    if (keys.size() > 1) {
      throw new IllegalArgumentException(
          what + " from one namespace or from all, not from some: " + this);
    }
    return keys.getFirst();
  }

  /** Returns whether objects of a namespace are watched. */
  boolean covers(String namespace) {
    return keys.stream()
        .anyMatch(key -> key.namespace().isEmpty() || key.namespace().equals(namespace));
  }

  /** Returns whether a label or field selector is set. */
  boolean selects() {
    return keys.stream()
        .anyMatch(key -> !key.labelSelector().isEmpty() || !key.fieldSelector().isEmpty());
  }

  InformerHandle<T> open(InformerRegistry caches, CacheUser user) {
    return caches.use(keys, indexes, user);
  }

  /** Returns a text for display: {@code "ConfigMap in a, b"}. */
  @Override
  public String toString() {
    return keys.getFirst()
        + keys.stream().skip(1).map(key -> ", " + key.namespace()).collect(Collectors.joining());
  }
}
