// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces whose requests a controller accepts, and the clusters that they may name. Its caches hold nothing of others, so that an
 * attempt there would find every object missing, and might delete what belongs to it.
 *
 * <p>Thread rule: confined to the controller's event loop, except {@link #names}, {@link #refusal}
 * and {@link #unknownCluster}.
 */
public final class NamespaceScope<K> {
  private static final Logger log = LoggerFactory.getLogger(NamespaceScope.class);

  private final String controller;
  private final Set<String> names;
  private final Set<String> clusters;
  private final RequestFormat<K> format;
  private boolean reported;

  /**
   * @param names the namespaces, empty for all
   * @param clusters the clusters that a request may name
   */
  public NamespaceScope(
      String controller, Set<String> names, Set<String> clusters, RequestFormat<K> format) {
    this.controller = controller;
    this.names = Set.copyOf(names);
    this.clusters = Set.copyOf(clusters);
    this.format = format;
  }

  /** Returns the namespaces, empty for all. */
  public Set<String> names() {
    return names;
  }

  /**
   * Returns why a request is not accepted, as a sentence; null when it is. A request without a
   * namespace always is.
   */
  public @Nullable String refusal(K request) {
    if (names.isEmpty()) {
      return null;
    }
    String namespace = format.namespace(request);
    return namespace.isEmpty() || names.contains(namespace)
        ? null
        : "This deployment does not watch namespace \"%s\" for this controller: it is not in watchNamespaces."
            .formatted(namespace);
  }

  /**
   * Returns why a request that somebody wants to add names no object, as a clause; empty when its cluster is
   * configured. Those that come with a slot are kept: another replica may have a newer list of clusters.
   */
  public Optional<String> unknownCluster(K request) {
    return request instanceof Request named
            && !named.cluster().isEmpty()
            && !clusters.contains(named.cluster())
        ? Optional.of(
            "names the cluster \"%s\", which is not configured: there are %s"
                .formatted(named.cluster(), new TreeSet<>(clusters)))
        : Optional.empty();
  }

  /** Returns whether a request is accepted; logs the first one that is not. */
  public boolean accepts(K request) {
    String refusal = refusal(request);
    if (refusal != null && !reported) {
      reported = true;
      log.atWarn()
          .addKeyValue("controller", controller)
          .addKeyValue("namespace", format.namespace(request))
          .addKeyValue("name", format.name(request))
          .addKeyValue("watchNamespaces", String.join(", ", new TreeSet<>(names)))
          .log("request of a namespace that is not watched dropped, further ones without a line");
    }
    return refusal == null;
  }
}
