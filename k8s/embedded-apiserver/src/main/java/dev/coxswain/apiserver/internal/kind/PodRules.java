// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pods that nothing schedules: defaults, Pending, and a spec that hardly changes; any thread. */
final class PodRules implements KindRules {
  @Override
  public void prepare(ObjectNode pod) {
    ObjectNode status = Json.ensure(pod, "status");
    status.put("phase", "Pending");
    status.put("qosClass", qos(pod.path("spec")));
    ObjectNode spec = Json.ensure(pod, "spec");
    ArrayNode tolerations = Json.ensureArray(spec, "tolerations");
    for (String taint : List.of("not-ready", "unreachable")) {
      tolerations
          .addObject()
          .put("key", "node.kubernetes.io/" + taint)
          .put("operator", "Exists")
          .put("effect", "NoExecute")
          .put("tolerationSeconds", 300);
    }
    Json.putDefault(spec, "priority", 0);
    Json.putDefault(spec, "preemptionPolicy", "PreemptLowerPriority");
  }

  @Override
  public void defaults(ObjectNode pod) {
    ObjectNode spec = Json.ensure(pod, "spec");
    PodDefaults.spec(spec);
    if (!spec.has("enableServiceLinks")) {
      spec.put("enableServiceLinks", true);
    }
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode pod, List<Cause> causes) {
    PodDefaults.validate(pod.path("spec"), "spec", causes);
    if (old != null && !fixed(old.path("spec")).equals(fixed(pod.path("spec")))) {
      causes.add(
          Cause.forbidden(
              "spec",
              "pod updates may not change fields other than"
                  + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                  + "`spec.tolerations` (only additions to existing"
                  + " tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously"
                  + " negative)\n"));
    }
  }

  /** The spec without what may change. */
  private static JsonNode fixed(JsonNode spec) {
    JsonNode copy = spec.deepCopy();
    if (copy instanceof ObjectNode object) {
      object.remove(
          List.of(
              "activeDeadlineSeconds", "tolerations", "schedulingGates", "ephemeralContainers"));
    }
    for (String field : List.of("containers", "initContainers")) {
      for (JsonNode container : copy.path(field)) {
        if (container instanceof ObjectNode object) {
          object.remove(List.of("image", "resources"));
        }
      }
    }
    return copy;
  }

  private static String qos(JsonNode spec) {
    boolean any = false;
    boolean all = true;
    for (JsonNode container : spec.path("containers")) {
      JsonNode resources = container.path("resources");
      any |= !resources.path("requests").isEmpty() || !resources.path("limits").isEmpty();
      JsonNode limits = resources.path("limits");
      JsonNode requests = resources.path("requests");
      all &=
          limits.has("cpu")
              && limits.has("memory")
              && (requests.isEmpty() || requests.equals(limits));
    }
    return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
  }

  @Override
  public boolean answersDeleted() {
    return true;
  }
}
