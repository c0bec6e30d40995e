// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.WebhookCheck;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules by storage key. */
final class AllKinds {
  static final Set<String> ANSWER_DELETED =
      Set.copyOf(
          Json.words(
              """
              /persistentvolumeclaims /persistentvolumes /pods /podtemplates /resourcequotas
              /serviceaccounts /services
              """));
  static final Set<String> CHECK_ALL_METADATA =
      Set.of("/configmaps", "/pods", "/secrets", "/services");

  private static final KindRules NONE = new KindRules() {};
  private static final KindRules WEBHOOKS =
      new KindRules() {
        @Override
        public void validate(@Nullable ObjectNode old, Field configuration) {
          WebhookCheck.configuration(configuration);
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
          Map.entry("/persistentvolumeclaims", new ClaimRules()),
          Map.entry("apps/deployments", new WorkloadRules("Deployment")),
          Map.entry("apps/statefulsets", new WorkloadRules("StatefulSet")),
          Map.entry("apps/daemonsets", new WorkloadRules("DaemonSet")),
          Map.entry("apps/replicasets", new WorkloadRules("ReplicaSet")),
          Map.entry("rbac.authorization.k8s.io/rolebindings", new BindingRules()),
          Map.entry("rbac.authorization.k8s.io/clusterrolebindings", new BindingRules()),
          Map.entry("admissionregistration.k8s.io/mutatingwebhookconfigurations", WEBHOOKS),
          Map.entry("admissionregistration.k8s.io/validatingwebhookconfigurations", WEBHOOKS),
          Map.entry("coordination.k8s.io/leases", new LeaseRules()),
          Map.entry("batch/jobs", new JobRules()),
          Map.entry("batch/cronjobs", new CronJobRules()),
          Map.entry("apiextensions.k8s.io/customresourcedefinitions", new DefinitionRules()));

  private AllKinds() {}

  static KindRules of(String storage) {
    return RULES.getOrDefault(storage, NONE);
  }
}
