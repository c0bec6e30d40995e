// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.rbac;

import dev.coxswain.authoring.crd.CrdYaml;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Rights as YAML.
 *
 * <p>Thread rule: any thread.
 */
public final class RoleManifests {

  private RoleManifests() {}

  /** Returns one rule for each resource of all controllers, as the Helm chart takes them. */
  public static String chartValues(Collection<ControllerRights> rights) {
    return chartValue(rights, true) + chartValue(rights, false);
  }

  /**
   * Returns a value of the Helm chart with the rules of all controllers.
   *
   * @param namespaced whether it is that of the resources that are namespaced, or of the others
   */
  public static String chartValue(Collection<ControllerRights> rights, boolean namespaced) {
    String name = namespaced ? "controllerRules" : "controllerClusterRules";
    List<AccessRule> rules =
        merged(rights).stream().filter(rule -> rule.namespaced() == namespaced).toList();
    return rules.isEmpty() ? name + ": []\n" : name + ":\n" + lines(rules);
  }

  /** Returns a ClusterRole for each controller. */
  public static String clusterRoles(Collection<ControllerRights> rights) {
    List<String> documents = new ArrayList<>();
    for (ControllerRights of : rights) {
      documents.add(role("ClusterRole", of.controller(), "", of.rules()));
    }
    return String.join("---\n", documents);
  }

  /**
   * Returns a Role in a namespace for each controller that watches this one alone, and a ClusterRole
   * with its resources that are not namespaced.
   */
  public static String roles(Collection<ControllerRights> rights, String namespace) {
    List<String> documents = new ArrayList<>();
    for (ControllerRights of : rights) {
      List<AccessRule> inNamespace = of.rules().stream().filter(AccessRule::namespaced).toList();
      List<AccessRule> others = of.rules().stream().filter(rule -> !rule.namespaced()).toList();
      if (!inNamespace.isEmpty()) {
        documents.add(role("Role", of.controller(), namespace, inNamespace));
      }
      if (!others.isEmpty()) {
        documents.add(role("ClusterRole", of.controller(), "", others));
      }
    }
    return String.join("---\n", documents);
  }

  private static String role(
      String kind, String controller, String namespace, List<AccessRule> rules) {
    String place = namespace.isEmpty() ? "" : ", namespace: " + CrdYaml.scalar(namespace);
    return """
    apiVersion: rbac.authorization.k8s.io/v1
    kind: %s
    metadata: {name: %s%s}
    """
            .formatted(kind, CrdYaml.scalar("coxswain-controller-" + controller), place)
        + (rules.isEmpty() ? "rules: []\n" : "rules:\n" + lines(rules));
  }

  private static String lines(List<AccessRule> rules) {
    StringBuilder text = new StringBuilder();
    rules.forEach(rule -> text.append(rule.toYaml()).append('\n'));
    return text.toString();
  }

  private static List<AccessRule> merged(Collection<ControllerRights> rights) {
    Map<String, AccessRule> all = new TreeMap<>();
    for (ControllerRights of : rights) {
      for (AccessRule rule : of.rules()) {
        all.merge(rule.group() + "/" + rule.resource(), rule, RoleManifests::both);
      }
    }
    return all.values().stream().sorted().toList();
  }

  private static AccessRule both(AccessRule one, AccessRule other) {
    TreeSet<String> verbs = new TreeSet<>(one.verbs());
    verbs.addAll(other.verbs());
    return new AccessRule(one.group(), one.resource(), one.namespaced(), List.copyOf(verbs));
  }
}
