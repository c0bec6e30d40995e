// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Objects;

/**
 * The right that a request requires, in the terms of a Kubernetes role.
 *
 * <p>Thread rule: immutable.
 *
 * @param verb the verb
 * @param resource such as {@code controllers} or {@code controllers/items}
 * @param namespace the namespace; empty for all namespaces, and for a resource without one
 * @param name the controller or limiter; empty for all of them
 */
public record AccessRequest(Verb verb, String resource, String namespace, String name) {

  /** The API group of all resources. It is used in roles only; there is no resource definition. */
  public static final String GROUP = "admin.coxswain.dev";

  public AccessRequest {
    Objects.requireNonNull(verb, "verb");
    Objects.requireNonNull(resource, "resource");
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(name, "name");
  }
}
