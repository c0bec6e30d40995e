// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Set;

/**
 * A right, with the meaning of a rule of a Kubernetes role: {@code *} means all.
 *
 * <p>Thread rule: immutable.
 *
 * @param resources such as {@code controllers/items}
 * @param verbs the labels of {@link Verb}
 * @param namespaces {@code *} also covers requests for all namespaces; a name never does
 * @param names controllers or limiters; {@code *} also covers requests for all of them
 */
public record Rule(
    Set<String> resources, Set<String> verbs, Set<String> namespaces, Set<String> names) {

  /** All resources, verbs, namespaces or names. */
  public static final String ALL = "*";

  public Rule {
    resources = Set.copyOf(resources);
    verbs = Set.copyOf(verbs);
    namespaces = Set.copyOf(namespaces);
    names = Set.copyOf(names);
  }

  /** Returns whether this rule permits a request. */
  public boolean covers(AccessRequest wanted) {
    return has(resources, wanted.resource())
        && has(verbs, wanted.verb().label())
        && has(namespaces, wanted.namespace())
        && has(names, wanted.name());
  }

  private static boolean has(Set<String> values, String value) {
    return values.contains(ALL) || (!value.isEmpty() && values.contains(value));
  }
}
