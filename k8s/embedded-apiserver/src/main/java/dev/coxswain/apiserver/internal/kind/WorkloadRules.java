// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deployments, StatefulSets, DaemonSets and ReplicaSets: defaults, and a selector that stays; any
 * thread.
 */
final class WorkloadRules implements KindRules {
  private static final List<String> STATEFUL_SET_FREE =
      List.of(
          "replicas",
          "ordinals",
          "template",
          "updateStrategy",
          "revisionHistoryLimit",
          "persistentVolumeClaimRetentionPolicy",
          "minReadySeconds");
  private static final String STATEFUL_SET_FIXED =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

  private final String kind;

  WorkloadRules(String kind) {
    this.kind = kind;
  }

  @Override
  public void defaults(ObjectNode object) {
    ObjectNode spec = Json.ensure(object, "spec");
    PodDefaults.spec(Json.ensure(Json.ensure(spec, "template"), "spec"));
    if (!kind.equals("DaemonSet")) {
      Json.putDefault(spec, "replicas", 1);
    }
    if (!kind.equals("ReplicaSet")) {
      Json.putDefault(spec, "revisionHistoryLimit", 10);
    }
    switch (kind) {
      case "Deployment" -> {
        Json.putDefault(spec, "progressDeadlineSeconds", 600);
        ObjectNode strategy = Json.ensure(spec, "strategy");
        Json.putDefault(strategy, "type", "RollingUpdate");
        if (Json.text(strategy, "type").equals("RollingUpdate")) {
          ObjectNode rolling = Json.ensure(strategy, "rollingUpdate");
          Json.putDefault(rolling, "maxUnavailable", "25%");
          Json.putDefault(rolling, "maxSurge", "25%");
        }
      }
      case "StatefulSet" -> {
        Json.putDefault(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = Json.ensure(spec, "updateStrategy");
        Json.putDefault(strategy, "type", "RollingUpdate");
        if (Json.text(strategy, "type").equals("RollingUpdate")) {
          Json.putDefault(Json.ensure(strategy, "rollingUpdate"), "partition", 0);
        }
      }
      case "DaemonSet" -> {
        ObjectNode strategy = Json.ensure(spec, "updateStrategy");
        Json.putDefault(strategy, "type", "RollingUpdate");
        if (Json.text(strategy, "type").equals("RollingUpdate")) {
          ObjectNode rolling = Json.ensure(strategy, "rollingUpdate");
          Json.putDefault(rolling, "maxUnavailable", 1);
          Json.putDefault(rolling, "maxSurge", 0);
        }
      }
      default -> {}
    }
  }

  private static JsonNode fixed(ObjectNode object) {
    return object.path("spec") instanceof ObjectNode spec
        ? spec.deepCopy().remove(STATEFUL_SET_FREE)
        : Json.object();
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode object, List<Cause> causes) {
    JsonNode spec = object.path("spec");
    JsonNode selector = spec.path("selector");
    if (selector.isMissingNode()) {
      causes.add(Cause.required("spec.selector", ""));
    } else if (selector.isEmpty()) {
      String named = kind.toLowerCase(Locale.ROOT);
      causes.add(Cause.invalid("spec.selector", "{}", "empty selector is invalid for " + named));
    } else if (old != null
        && !kind.equals("StatefulSet") // says it in its own words
        && !old.path("spec").path("selector").equals(selector)) {
      causes.add(Cause.invalid("spec.selector", selector.toString(), "field is immutable"));
    }
    Map<String, String> labels = new HashMap<>();
    JsonNode template = spec.path("template");
    template
        .path("metadata")
        .path("labels")
        .properties()
        .forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    if (!selector.isMissingNode() && !LabelSelector.of(selector).matches(labels)) {
      causes.add(
          Cause.invalid(
              "spec.template.metadata.labels",
              template.path("metadata").path("labels").toString(),
              "`selector` does not match template `labels`"));
    }
    PodDefaults.validate(template.path("spec"), "spec.template.spec", causes);
    if (kind.equals("Deployment")
        && Json.text(spec.path("strategy"), "type").equals("Recreate")
        && spec.path("strategy").has("rollingUpdate")) {
      causes.add(
          Cause.forbidden(
              "spec.strategy.rollingUpdate",
              "may not be specified when strategy `type` is 'Recreate'"));
    }
    if (kind.equals("StatefulSet") && old != null && !fixed(old).equals(fixed(object))) {
      causes.add(Cause.forbidden("spec", STATEFUL_SET_FIXED));
    }
    if (spec.path("replicas").asInt() < 0) {
      causes.add(
          Cause.invalid(
              "spec.replicas",
              spec.path("replicas").asText(),
              "must be greater than or equal to 0"));
    }
  }
}
