// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import io.kubernetes.client.common.KubernetesObject;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resources of the official client's model classes.
 *
 * <p>The client's own table has neither groups nor scopes before a discovery request, and takes
 * half a second to load. Class names contain version and kind ({@code V1ConfigMap}); the rest is
 * here.
 */
final class BuiltInTypes {

  private static final Pattern MODEL =
      Pattern.compile("(?:Core|Events|Resource)?V(\\d+(?:(?:alpha|beta)\\d+)?)([A-Z]\\w*)");

  private static final Map<String, String> GROUP_OF_KIND = new HashMap<>();

  static {
    group("", "ConfigMap Secret Namespace Node Pod PodTemplate Service ServiceAccount Endpoints");
    group("", "LimitRange PersistentVolume PersistentVolumeClaim ReplicationController");
    group("", "ResourceQuota Binding ComponentStatus");
    group("apps", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet");
    group("batch", "CronJob Job");
    group("autoscaling", "HorizontalPodAutoscaler");
    group("policy", "PodDisruptionBudget Eviction");
    group("coordination.k8s.io", "Lease LeaseCandidate");
    group("discovery.k8s.io", "EndpointSlice");
    group("networking.k8s.io", "Ingress IngressClass NetworkPolicy IPAddress ServiceCIDR");
    group("node.k8s.io", "RuntimeClass");
    group("scheduling.k8s.io", "PriorityClass PodGroup Workload");
    group("rbac.authorization.k8s.io", "Role RoleBinding ClusterRole ClusterRoleBinding");
    group("storage.k8s.io", "StorageClass VolumeAttachment VolumeAttributesClass");
    group("storage.k8s.io", "CSIDriver CSINode CSIStorageCapacity");
    group("certificates.k8s.io", "CertificateSigningRequest ClusterTrustBundle");
    group("certificates.k8s.io", "PodCertificateRequest");
    group("flowcontrol.apiserver.k8s.io", "FlowSchema PriorityLevelConfiguration");
    group("apiextensions.k8s.io", "CustomResourceDefinition");
    group("apiregistration.k8s.io", "APIService");
    group("admissionregistration.k8s.io", "MutatingWebhookConfiguration");
    group("admissionregistration.k8s.io", "ValidatingWebhookConfiguration");
    group("admissionregistration.k8s.io", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding");
    group("admissionregistration.k8s.io", "ValidatingAdmissionPolicy");
    group("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding");
    group("resource.k8s.io", "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate");
    group("resource.k8s.io", "ResourceSlice");
    group("internal.apiserver.k8s.io", "StorageVersion");
    group("storagemigration.k8s.io", "StorageVersionMigration");
    group("authentication.k8s.io", "TokenReview SelfSubjectReview");
    group("authorization.k8s.io", "SubjectAccessReview SelfSubjectAccessReview");
    group("authorization.k8s.io", "SelfSubjectRulesReview LocalSubjectAccessReview");
  }

  private static final Set<String> CLUSTER_SCOPED =
      Set.of(
          "Namespace",
          "Node",
          "PersistentVolume",
          "ComponentStatus",
          "IngressClass",
          "IPAddress",
          "ServiceCIDR",
          "RuntimeClass",
          "PriorityClass",
          "ClusterRole",
          "ClusterRoleBinding",
          "StorageClass",
          "VolumeAttachment",
          "VolumeAttributesClass",
          "CSIDriver",
          "CSINode",
          "CertificateSigningRequest",
          "ClusterTrustBundle",
          "FlowSchema",
          "PriorityLevelConfiguration",
          "CustomResourceDefinition",
          "APIService",
          "MutatingWebhookConfiguration",
          "ValidatingWebhookConfiguration",
          "MutatingAdmissionPolicy",
          "MutatingAdmissionPolicyBinding",
          "ValidatingAdmissionPolicy",
          "ValidatingAdmissionPolicyBinding",
          "DeviceClass",
          "DeviceTaintRule",
          "ResourceSlice",
          "StorageVersion",
          "StorageVersionMigration",
          "TokenReview",
          "SelfSubjectReview",
          "SubjectAccessReview",
          "SelfSubjectAccessReview",
          "SelfSubjectRulesReview");

  private BuiltInTypes() {}

  static <T extends KubernetesObject> Optional<ResourceType<T>> find(Class<T> type) {
    if (!type.getPackageName().equals("io.kubernetes.client.openapi.models")) {
      return Optional.empty();
    }
    Matcher model = MODEL.matcher(type.getSimpleName());
    if (!model.matches()) {
      return Optional.empty();
    }
    String kind = model.group(2);
    String group =
        switch (type.getSimpleName()) {
          case "CoreV1Event" -> "";
          case "EventsV1Event" -> "events.k8s.io";
          default -> GROUP_OF_KIND.get(kind);
        };
    if (group == null) {
      return Optional.empty();
    }
    return Optional.of(
        new ResourceType<>(
            group, "v" + model.group(1), plural(kind), kind, !CLUSTER_SCOPED.contains(kind), type));
  }

  private static String plural(String kind) {
    String singular = kind.toLowerCase(Locale.ROOT);
    if (singular.equals("endpoints")) {
      return singular;
    }
    if (singular.endsWith("cy")) {
      return singular.substring(0, singular.length() - 1) + "ies";
    }
    return singular.endsWith("s") ? singular + "es" : singular + "s";
  }

  private static void group(String group, String kinds) {
    for (String kind : kinds.split(" ", -1)) {
      GROUP_OF_KIND.put(kind, group);
    }
  }
}
