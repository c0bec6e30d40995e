// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.util.Objects;

/**
 * The name of the object to reconcile.
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

  /** Returns {@code namespace/name}, or the bare name of a cluster-scoped object. */
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
