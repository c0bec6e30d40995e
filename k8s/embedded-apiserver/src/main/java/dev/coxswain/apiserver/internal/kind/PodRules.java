// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.PodSpecCheck;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Pods that nothing schedules: Pending, and a spec that hardly changes; any thread. */
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
    status.put("phase", "Pending").put("qosClass", qos(pod.path("spec")));
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
    PodDefaults.spec(pod.get("spec"));
  }

  @Override
  public void validate(@Nullable ObjectNode old, Field pod) {
    Field spec = pod.at("spec");
    PodSpecCheck.spec(spec);
    images(spec.at("containers"));
    images(spec.at("initContainers"));
    if (old != null) {
      updated(old.path("spec"), spec);
      return;
    }
    if (!spec.at("ephemeralContainers").isEmpty()) {
      spec.at("ephemeralContainers").forbidden("cannot be set on create");
    }
    if (!spec.at("nodeName").isEmpty() && !spec.at("schedulingGates").isEmpty()) {
      spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
    }
  }

  private static void images(Field containers) {
    for (Field container : containers) {
      Field image = container.at("image");
      if (!image.text().equals(image.text().strip())) {
        image.invalidText("must not have leading or trailing whitespace");
      }
    }
  }

  private static void updated(JsonNode old, Field spec) {
    for (String field : List.of("containers", "initContainers")) {
      Field containers = spec.at(field);
      if (old.path(field).size() != containers.value().size()) {
        containers.forbidden("pod updates may not add or remove containers");
        return;
      }
      containers.forEach(container -> container.at("image").required());
      images(containers);
    }
    JsonNode before = old.path("activeDeadlineSeconds");
    Field now = spec.at("activeDeadlineSeconds");
    if (now.value().isNumber()
        && before.isNumber()
        && before.longValue() < now.value().longValue()) {
      now.invalid("must be less than or equal to previous value");
      return;
    }
    if (before.isNumber() && !now.given()) {
      now.invalid("must not update from a positive integer to nil value");
    }
    onlyAddedTolerations(old, spec.at("tolerations"));
    onlyRemovedGates(old, spec.at("schedulingGates"));
    if (!fixed(old).equals(fixed(spec.value()))) {
      spec.forbidden(FIXED);
    }
  }

  private static void onlyAddedTolerations(JsonNode old, Field tolerations) {
    Set<JsonNode> now = new HashSet<>();
    tolerations.forEach(t -> now.add(withoutSeconds(t.value())));
    if (!old.path("tolerations").valueStream().allMatch(t -> now.contains(withoutSeconds(t)))) {
      tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds");
    }
  }

  private static JsonNode withoutSeconds(JsonNode toleration) {
    return toleration instanceof ObjectNode object
        ? object.deepCopy().without("tolerationSeconds")
        : toleration;
  }

  private static void onlyRemovedGates(JsonNode old, Field gates) {
    Set<String> before = new HashSet<>();
    old.path("schedulingGates").forEach(gate -> before.add(Json.text(gate, "name")));
    for (Field gate : gates) {
      String name = gate.text("name");
      if (!before.contains(name)) {
        gate.at("name")
            .forbidden("only deletion is allowed, but found new scheduling gate '" + name + "'");
      }
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
      JsonNode limits = container.path("resources").path("limits");
      JsonNode requests = container.path("resources").path("requests");
      any |= !requests.isEmpty() || !limits.isEmpty();
      all &=
          limits.has("cpu")
              && limits.has("memory")
              && (requests.isEmpty() || requests.equals(limits));
    }
    return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
  }
}
