// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import java.util.Map;

/** Rules by storage key. */
final class AllKinds {
  /** A kind whose only peculiarity is that a delete answers the object. */
  private static final KindRules ANSWERS_DELETED =
      new KindRules() {
        @Override
        public boolean answersDeleted() {
          return true;
        }
      };

  private static final Map<String, KindRules> RULES =
      Map.ofEntries(
          Map.entry("/configmaps", new ConfigMapRules()),
          Map.entry("/secrets", new SecretRules()),
          Map.entry("/namespaces", new NamespaceRules()),
          Map.entry("/events", new EventRules()),
          Map.entry("/pods", new PodRules()),
          Map.entry("/services", new ServiceRules()),
          Map.entry("/serviceaccounts", ANSWERS_DELETED),
          Map.entry("/persistentvolumes", ANSWERS_DELETED),
          Map.entry("/persistentvolumeclaims", new ClaimRules()),
          Map.entry("/podtemplates", ANSWERS_DELETED),
          Map.entry("/resourcequotas", ANSWERS_DELETED),
          Map.entry("apps/deployments", new WorkloadRules("Deployment")),
          Map.entry("apps/statefulsets", new WorkloadRules("StatefulSet")),
          Map.entry("apps/daemonsets", new WorkloadRules("DaemonSet")),
          Map.entry("apps/replicasets", new WorkloadRules("ReplicaSet")),
          Map.entry("rbac.authorization.k8s.io/rolebindings", new BindingRules()),
          Map.entry("rbac.authorization.k8s.io/clusterrolebindings", new BindingRules()),
          Map.entry("coordination.k8s.io/leases", new LeaseRules()),
          Map.entry("batch/jobs", new JobRules()),
          Map.entry("batch/cronjobs", new CronJobRules()),
          Map.entry("apiextensions.k8s.io/customresourcedefinitions", new DefinitionRules()));

  private AllKinds() {}

  static KindRules of(String storage) {
    return RULES.getOrDefault(storage, KindRules.NONE);
  }
}
