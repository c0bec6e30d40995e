// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.rbac;

import dev.coxswain.authoring.crd.CrdYaml;
import java.util.Comparator;
import java.util.List;

/**
 * A rule of a Role for one resource.
 *
 * <p>Thread rule: immutable.
 *
 * @param group the API group, empty for the core group
 * @param resource the plural, with the subresource if it is for one: {@code orders/status}
 * @param namespaced whether the resource is namespaced
 * @param verbs the verbs, in the order of the documentation of Kubernetes
 */
public record AccessRule(String group, String resource, boolean namespaced, List<String> verbs)
    implements Comparable<AccessRule> {

  private static final List<String> ORDER =
      List.of("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection");

  private static final Comparator<AccessRule> BY_RESOURCE =
      Comparator.comparing(AccessRule::group).thenComparing(AccessRule::resource);

  /** Puts the verbs into their order. */
  public AccessRule {
    verbs = verbs.stream().distinct().sorted(Comparator.comparingInt(ORDER::indexOf)).toList();
  }

  @Override
  public int compareTo(AccessRule other) {
    return BY_RESOURCE.compare(this, other);
  }

  /** Returns the rule as an item of {@code rules:}, on one line. */
  public String toYaml() {
    return "- {apiGroups: [%s], resources: [%s], verbs: [%s]}"
        .formatted(
            CrdYaml.scalar(group),
            CrdYaml.scalar(resource),
            String.join(", ", verbs.stream().map(CrdYaml::scalar).toList()));
  }
}
