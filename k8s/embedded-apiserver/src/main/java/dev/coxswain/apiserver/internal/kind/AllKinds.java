// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.WebhookCheck;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.List;
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

  /** Role bindings: what is bound stays; any thread. */
  private static final class BindingRules implements KindRules {
    private static final String GROUP = "rbac.authorization.k8s.io";

    @Override
    public void defaults(ObjectNode binding) {
      for (JsonNode subject : binding.path("subjects")) {
        String kind = Json.text(subject, "kind");
        if (subject instanceof ObjectNode object && (kind.equals("User") || kind.equals("Group"))) {
          Json.putDefault(object, "apiGroup", GROUP);
        }
      }
    }

    @Override
    public void validate(@Nullable ObjectNode old, Field binding) {
      Field role = binding.at("roleRef");
      if (old != null && !old.path("roleRef").equals(role.value())) {
        role.invalid("cannot change roleRef");
      }
      role.at("apiGroup").oneOf(GROUP);
      boolean namespaced = binding.at("metadata", "namespace").given();
      if (namespaced) {
        role.at("kind").oneOf("Role", "ClusterRole");
      } else {
        role.at("kind").oneOf("ClusterRole");
      }
      role.at("name").required();
      binding.at("subjects").forEach(subject -> subject(subject, namespaced));
    }

    private static void subject(Field subject, boolean namespaced) {
      subject.at("name").required();
      switch (subject.text("kind")) {
        case "ServiceAccount" -> {
          subject.at("apiGroup").oneOf("");
          if (!namespaced) {
            subject.at("namespace").required();
          }
        }
        case "User", "Group" -> subject.at("apiGroup").oneOf(GROUP);
        default -> subject.at("kind").notSupported("ServiceAccount", "User", "Group");
      }
    }
  }

  /** Volume claims: what may change after the creation; any thread. */
  private static final class ClaimRules implements KindRules {
    private static final String FIXED =
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

    @Override
    public void validate(@Nullable ObjectNode old, Field claim) {
      Field spec = claim.at("spec");
      Field modes = spec.at("accessModes");
      if (modes.isEmpty()) {
        modes.missing("at least 1 access mode is required");
      }
      for (Field mode : modes) {
        mode.as(modes.path())
            .oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
      }
      if (!spec.at("resources", "requests", "storage").given()) {
        spec.at("resources").key("storage").missing();
      }
      if (old != null && !fixed(old, old).equals(fixed(claim.value(), old))) {
        spec.forbidden(FIXED);
      }
    }

    /** A binder names the volume and may name the class; a bound claim may grow. */
    private static ObjectNode fixed(JsonNode claim, ObjectNode old) {
      ObjectNode spec = claim.path("spec").deepCopy();
      for (String field : List.of("volumeName", "storageClassName")) {
        if (!old.path("spec").has(field)) {
          spec.remove(field);
        }
      }
      if (Json.text(old.path("status"), "phase").equals("Bound")) {
        spec.remove("volumeAttributesClassName");
        Json.ensure(spec, "resources").remove("requests");
      }
      return spec;
    }
  }

  /** CronJobs: a schedule that must be there, and the job; any thread. */
  private static final class CronJobRules implements KindRules {
    private static final int MAX_NAME = 52;

    @Override
    public void defaults(ObjectNode job) {
      PodDefaults.spec(Json.at(job, "spec", "jobTemplate", "spec", "template", "spec"));
    }

    @Override
    public void validate(@Nullable ObjectNode old, Field job) {
      Field name = job.at("metadata", "name");
      if (old == null && name.text().length() > MAX_NAME) {
        name.invalidText("must be no more than 52 characters");
      }
      Field spec = job.at("spec");
      Field schedule = spec.at("schedule");
      String[] fields = schedule.text().strip().split("\\s+");
      int count = schedule.text().isBlank() ? 0 : fields.length;
      if (schedule.required() && !schedule.text().startsWith("@") && count != 5) {
        schedule.invalidText(
            "expected exactly 5 fields, found %s: [%s]".formatted(count, String.join(" ", fields)));
      }
      spec.at("startingDeadlineSeconds").nonNegative();
      spec.at("concurrencyPolicy").oneOf("Allow", "Forbid", "Replace");
      JobRules.validate(spec.at("jobTemplate", "spec"));
      spec.at("successfulJobsHistoryLimit").nonNegative();
      spec.at("failedJobsHistoryLimit").nonNegative();
    }
  }

  /** Leases: duration, transitions and strategy; any thread. */
  private static final class LeaseRules implements KindRules {
    @Override
    public void validate(@Nullable ObjectNode old, Field lease) {
      Field spec = lease.at("spec");
      spec.at("leaseDurationSeconds").positive();
      spec.at("leaseTransitions").nonNegative();
      // the path has the name twice in the real server as well
      Field strategy = spec.at("strategy").as("spec.strategy.strategy");
      if (strategy.text().contains("/")) {
        strategy.qualified();
      } else if (strategy.given()) {
        strategy.oneOf("OldestEmulationVersion");
      }
      Field holder = spec.at("preferredHolder");
      if (!holder.isEmpty() && strategy.isEmpty()) {
        holder.forbidden("may only be specified if `strategy` is defined");
      }
    }
  }

  /** The name label, the finalizer and the phase of namespaces; any thread. */
  private static final class NamespaceRules implements KindRules {
    @Override
    public void prepare(ObjectNode namespace) {
      Json.ensure(namespace, "spec").putArray("finalizers").add("kubernetes");
      Json.ensure(namespace, "status").put("phase", "Active");
    }

    @Override
    public void defaults(ObjectNode namespace) {
      ObjectNode meta = Json.ensure(namespace, "metadata");
      Json.ensure(meta, "labels").put("kubernetes.io/metadata.name", Json.text(meta, "name"));
    }

    @Override
    public void merge(ObjectNode old, ObjectNode namespace) {
      Json.carry(old, namespace, "spec"); // only the finalize subresource changes it
    }
  }
}
