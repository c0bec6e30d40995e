// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.reconcile.RequestFormat;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces whose requests a controller accepts. Its caches hold nothing of others, so that an
 * attempt there would find every object missing, and might delete what belongs to it.
 *
 * <p>Thread rule: confined to the controller's event loop, except {@link #names} and {@link
 * #refusal}.
 */
public final class NamespaceScope<K> {
  private static final Logger log = LoggerFactory.getLogger(NamespaceScope.class);

  private final String controller;
  private final Set<String> names;
  private final RequestFormat<K> format;
  private boolean reported;

  /**
   * @param names the namespaces, empty for all
   */
  public NamespaceScope(String controller, Set<String> names, RequestFormat<K> format) {
    this.controller = controller;
    this.names = Set.copyOf(names);
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
