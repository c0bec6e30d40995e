// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Objects;

/**
 * What somebody wants to do to what, in the terms of a Kubernetes role.
 *
 * <p>Thread rule: immutable.
 *
 * @param verb what to do
 * @param resource such as {@code controllers} or {@code controllers/items}
 * @param namespace the namespace it is about; empty for all of them, and for what has none
 * @param name the controller or limiter it is about; empty for all of them
 */
public record AccessRequest(Verb verb, String resource, String namespace, String name) {

  /** The API group of all resources; no definition stands behind it, only roles name it. */
  public static final String GROUP = "admin.coxswain.dev";

  public AccessRequest {
    Objects.requireNonNull(verb, "verb");
    Objects.requireNonNull(resource, "resource");
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(name, "name");
  }
}
