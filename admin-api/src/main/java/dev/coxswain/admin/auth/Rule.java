// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import java.util.Set;

/**
 * A right, with the meaning of a rule of a Kubernetes role: {@code *} stands for all.
 *
 * <p>Thread rule: immutable.
 *
 * @param resources such as {@code controllers/items}
 * @param verbs as {@link Verb#label} says
 * @param namespaces {@code *} also covers what is about all namespaces; a name never does
 * @param names controllers or limiters; {@code *} also covers what is about all of them
 */
public record Rule(
    Set<String> resources, Set<String> verbs, Set<String> namespaces, Set<String> names) {

  /** Stands for all of them. */
  public static final String ALL = "*";

  public Rule {
    resources = Set.copyOf(resources);
    verbs = Set.copyOf(verbs);
    namespaces = Set.copyOf(namespaces);
    names = Set.copyOf(names);
  }

  /** Returns whether this gives the right to something. */
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
