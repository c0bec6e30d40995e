// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.resource;

import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.schema.TypeTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The resources every cluster has; any thread. */
final class BuiltinResources {
  /**
   * One line each: group/version, plural, kind, short names, categories ({@code -} = none), flags:
   * {@code n} namespaced, {@code s} status, {@code c} scale, {@code g} generation, {@code v}
   * nothing is stored.
   */
  private static final String TABLE =
      """
      v1 bindings Binding - - nv
      v1 configmaps ConfigMap cm - n
      v1 endpoints Endpoints ep - n
      v1 events Event ev - n
      v1 limitranges LimitRange limits - n
      v1 namespaces Namespace ns - s
      v1 nodes Node no - s
      v1 persistentvolumeclaims PersistentVolumeClaim pvc - ns
      v1 persistentvolumes PersistentVolume pv - s
      v1 pods Pod po all nsg
      v1 podtemplates PodTemplate - - ng
      v1 replicationcontrollers ReplicationController rc all nscg
      v1 resourcequotas ResourceQuota quota - ns
      v1 secrets Secret - - n
      v1 serviceaccounts ServiceAccount sa - n
      v1 services Service svc all ns
      apps/v1 controllerrevisions ControllerRevision - - n
      apps/v1 daemonsets DaemonSet ds all nsg
      apps/v1 deployments Deployment deploy all nscg
      apps/v1 replicasets ReplicaSet rs all nscg
      apps/v1 statefulsets StatefulSet sts all nscg
      batch/v1 cronjobs CronJob cj all nsg
      batch/v1 jobs Job - all nsg
      autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler hpa all ns
      coordination.k8s.io/v1 leases Lease - - n
      discovery.k8s.io/v1 endpointslices EndpointSlice - - ng
      events.k8s.io/v1 events Event ev - n
      networking.k8s.io/v1 ingresses Ingress ing - nsg
      networking.k8s.io/v1 ingressclasses IngressClass - - g
      networking.k8s.io/v1 networkpolicies NetworkPolicy netpol - ng
      policy/v1 poddisruptionbudgets PodDisruptionBudget pdb - nsg
      rbac.authorization.k8s.io/v1 clusterroles ClusterRole - - -
      rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding - - -
      rbac.authorization.k8s.io/v1 roles Role - - n
      rbac.authorization.k8s.io/v1 rolebindings RoleBinding - - n
      scheduling.k8s.io/v1 priorityclasses PriorityClass pc - g
      storage.k8s.io/v1 storageclasses StorageClass sc - -
      admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration - api-extensions g
      admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration - api-extensions g
      apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition crd,crds api-extensions sg
      authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview - - v
      authentication.k8s.io/v1 tokenreviews TokenReview - - v
      authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview - - nv
      authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview - - v
      authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview - - v
      authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview - - v
      """;

  private static final List<String> EVENT_FIELDS =
      Json.words(
          """
          involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid
          involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath
          reason reportingComponent source type
          """);

  private static final Map<String, List<String>> SELECTABLE =
      Map.of(
          "pods",
          Json.words(
              """
              spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName
              spec.hostNetwork status.phase status.podIP status.nominatedNodeName
              """),
          "events",
          EVENT_FIELDS,
          "nodes",
          List.of("spec.unschedulable"),
          "secrets",
          List.of("type"),
          "namespaces",
          List.of("status.phase"),
          "services",
          List.of("spec.clusterIP", "spec.type"),
          "replicasets",
          List.of("status.replicas"),
          "replicationcontrollers",
          List.of("status.replicas"),
          "jobs",
          List.of("status.successful"));

  private BuiltinResources() {}

  static List<ResourceType> all() {
    List<ResourceType> all = new ArrayList<>();
    TABLE.lines().forEach(line -> all.add(type(line.split(" "))));
    return all;
  }

  private static ResourceType type(String[] words) {
    int slash = words[0].indexOf('/');
    String group = slash < 0 ? "" : words[0].substring(0, slash);
    String plural = words[1];
    String kind = words[2];
    String flags = words[5];
    boolean newEvents = group.equals("events.k8s.io");
    ResourceType.Scale scale =
        flags.contains("c")
            ? new ResourceType.Scale("spec.replicas", "status.replicas", "spec.selector")
            : null;
    ResourceType.Version version =
        new ResourceType.Version(
            words[0].substring(slash + 1),
            TypeTable.type(newEvents ? "events.Event" : kind),
            flags.contains("s"),
            scale,
            List.of(),
            null);
    return new ResourceType(
        group,
        kind,
        kind + "List",
        plural,
        plural.equals("endpoints") ? "endpoints" : kind.toLowerCase(Locale.ROOT),
        list(words[3]),
        list(words[4]),
        flags.contains("n"),
        false,
        !flags.contains("v"),
        flags.contains("g"),
        (newEvents ? "" : group) + "/" + plural,
        SELECTABLE.getOrDefault(plural, List.of()),
        List.of(version),
        null);
  }

  private static List<String> list(String word) {
    return word.equals("-") ? List.of() : Arrays.asList(word.split(","));
  }
}
