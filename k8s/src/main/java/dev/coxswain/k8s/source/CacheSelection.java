// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.informer.InformerRegistry;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.Acquisition;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The caches of a source, one per namespace, with their indexes.
 *
 * <p>Thread rule: immutable.
 *
 * @param full whether all objects are needed, also in a sharded controller
 * @param restricted whether the deployment leaves out namespaces that the author selected
 */
record CacheSelection<T extends KubernetesObject>(
    List<CacheKey<T>> keys, Set<Index<T>> indexes, boolean full, boolean restricted) {

  private static final int SHOWN_NAMESPACES = 5;

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
    return with(new TreeSet<>(namespaces).stream().map(any::inNamespace).toList());
  }

  CacheSelection<T> each(UnaryOperator<CacheKey<T>> change) {
    return with(keys.stream().map(change).toList());
  }

  private CacheSelection<T> with(List<CacheKey<T>> others) {
    return new CacheSelection<>(others, indexes, full, restricted);
  }

  /**
   * Returns what a deployment watches of this; a resource without namespaces stays as it is.
   *
   * @param watched the namespaces of the deployment, empty for all
   * @throws IllegalArgumentException when none of them is selected
   */
  CacheSelection<T> within(Set<String> watched) {
    if (watched.isEmpty() || !keys.getFirst().type().namespaced()) {
      return this;
    }
    boolean all = keys.getFirst().namespace().isEmpty();
    Set<String> selected = new TreeSet<>(watched);
    if (!all) {
      selected.retainAll(keys.stream().map(CacheKey::namespace).collect(Collectors.toSet()));
    }
    if (selected.isEmpty()) {
      throw new IllegalArgumentException(
          "the source \"%s\" has no namespace left: this deployment watches only %s. Add one of its namespaces to watchNamespaces"
              .formatted(this, shown(watched.stream().sorted())));
    }
    List<CacheKey<T>> some = inNamespaces(selected).keys;
    return new CacheSelection<>(some, indexes, full, some.size() < keys.size() || all);
  }

  CacheSelection<T> indexedBy(Index<T> index) {
    Set<Index<T>> all = new HashSet<>(indexes);
    all.add(index);
    return new CacheSelection<>(keys, all, full, restricted);
  }

  CacheSelection<T> inFull() {
    return new CacheSelection<>(keys, indexes, true, restricted);
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
    return caches.use(keys, indexes, user, restricted);
  }

  private String cluster() {
    return keys.getFirst().cluster();
  }

  /** Returns the object that a request names; empty when it names that of another cluster. */
  Optional<Request> object(Request request) {
    String named = request.cluster();
    return named.isEmpty()
        ? Optional.of(request)
        : named.equals(cluster()) ? Optional.of(request.inCluster("")) : Optional.empty();
  }

  /**
   * Returns the object that a request names.
   *
   * @throws IllegalArgumentException when it names that of another cluster
   */
  Request require(Request request) {
    if (request.cluster().isEmpty()) {
      return request; // every read of most controllers
    }
    return object(request)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "the source \"%s\" has no object of cluster %s: read \"%s\" from a source of that cluster, or its name alone with inCluster(\"\")"
                    .formatted(this, request.cluster(), request)));
  }

  /** A version of one cluster means nothing in another, and the list of clusters may change. */
  String positionPrefix() {
    return cluster().isEmpty() ? "" : cluster() + "/";
  }

  /** Returns the same with a version as position; without one when it is of another cluster. */
  Acquisition<Request> own(Acquisition<Request> acquired) {
    String position = acquired.position();
    int begin = position.indexOf('/') + 1;
    return position.substring(0, begin).equals(positionPrefix())
        ? new Acquisition<>(acquired.requests(), acquired.known(), position.substring(begin))
        : Acquisition.of(acquired.requests());
  }

  /** Returns a text for display: {@code "ConfigMap in a, b"}. */
  @Override
  public String toString() {
    CacheKey<T> first = keys.getFirst();
    return keys.size() == 1
        ? first.toString()
        : first.inNamespace("") + " in " + shown(keys.stream().map(CacheKey::namespace));
  }

  private static String shown(Stream<String> namespaces) {
    List<String> all = namespaces.toList();
    int more = all.size() - SHOWN_NAMESPACES;
    return String.join(", ", more > 0 ? all.subList(0, SHOWN_NAMESPACES) : all)
        + (more > 0 ? " and " + more + " more" : "");
  }
}
