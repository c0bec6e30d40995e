// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.PodSpecCheck;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Pods that nothing schedules: defaults, Pending, and a spec that hardly changes; any thread. */
final class PodRules implements KindRules {
  private static final String FIXED =
      "pod updates may not change fields other than"
          + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
          + "`spec.tolerations` (only additions to existing"
          + " tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously"
          + " negative)\n";

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
  public void validate(@Nullable ObjectNode old, ObjectNode pod, Causes causes) {
    PodSpecCheck.spec(pod.path("spec"), "spec", causes);
    for (String field : List.of("containers", "initContainers")) {
      images(pod.path("spec").path(field), "spec." + field, causes);
    }
    if (old == null) {
      created(pod.path("spec"), causes);
    } else {
      updated(old.path("spec"), pod.path("spec"), causes);
    }
  }

  private static void created(JsonNode spec, Causes causes) {
    if (!spec.path("ephemeralContainers").isEmpty()) {
      causes.forbidden("spec.ephemeralContainers", "cannot be set on create");
    }
    if (!Json.text(spec, "nodeName").isEmpty() && !spec.path("schedulingGates").isEmpty()) {
      causes.forbidden(
          "spec.nodeName", "cannot be set until all schedulingGates have been cleared");
    }
  }

  private static void images(JsonNode containers, String path, Causes causes) {
    int i = 0;
    for (JsonNode container : containers) {
      String image = Json.text(container, "image");
      if (!image.equals(image.strip())) {
        causes.invalidText(
            path + "[" + i + "].image", image, "must not have leading or trailing whitespace");
      }
      i++;
    }
  }

  private static void updated(JsonNode old, JsonNode spec, Causes causes) {
    for (String field : List.of("containers", "initContainers")) {
      if (old.path(field).size() != spec.path(field).size()) {
        causes.forbidden("spec." + field, "pod updates may not add or remove containers");
        return;
      }
      int i = 0;
      for (JsonNode container : spec.path(field)) {
        String here = "spec." + field + "[" + i++ + "].";
        Checks.required(container, "image", here, causes);
      }
      images(spec.path(field), "spec." + field, causes);
    }
    JsonNode before = old.path("activeDeadlineSeconds");
    JsonNode now = spec.path("activeDeadlineSeconds");
    if (now.isNumber() && before.isNumber() && before.longValue() < now.longValue()) {
      causes.invalid(
          "spec.activeDeadlineSeconds",
          now.asText(),
          "must be less than or equal to previous value");
      return;
    }
    if (before.isNumber() && !now.isNumber()) {
      causes.invalid(
          "spec.activeDeadlineSeconds",
          "null",
          "must not update from a positive integer to nil value");
    }
    onlyAddedTolerations(old, spec, causes);
    onlyRemovedGates(old, spec, causes);
    if (!fixed(old).equals(fixed(spec))) {
      causes.forbidden("spec", FIXED);
    }
  }

  private static void onlyAddedTolerations(JsonNode old, JsonNode spec, Causes causes) {
    Set<JsonNode> now = new HashSet<>();
    spec.path("tolerations").forEach(t -> now.add(withoutSeconds(t)));
    for (JsonNode toleration : old.path("tolerations")) {
      if (!now.contains(withoutSeconds(toleration))) {
        causes.forbidden(
            "spec.tolerations",
            "existing toleration can not be modified except its tolerationSeconds");
        return;
      }
    }
  }

  private static JsonNode withoutSeconds(JsonNode toleration) {
    return toleration instanceof ObjectNode object
        ? object.deepCopy().without("tolerationSeconds")
        : toleration;
  }

  private static void onlyRemovedGates(JsonNode old, JsonNode spec, Causes causes) {
    Set<String> before = new HashSet<>();
    old.path("schedulingGates").forEach(gate -> before.add(Json.text(gate, "name")));
    int i = 0;
    for (JsonNode gate : spec.path("schedulingGates")) {
      if (!before.contains(Json.text(gate, "name"))) {
        causes.forbidden(
            "spec.schedulingGates[" + i + "].name",
            "only deletion is allowed, but found new scheduling gate '"
                + Json.text(gate, "name")
                + "'");
      }
      i++;
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
          object.remove("image");
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
}
