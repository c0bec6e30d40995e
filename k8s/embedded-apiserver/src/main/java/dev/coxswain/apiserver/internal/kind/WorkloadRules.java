// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.spec.PodSpecCheck;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Field;
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
      Json.words(
          """
          replicas ordinals template updateStrategy revisionHistoryLimit
          persistentVolumeClaimRetentionPolicy minReadySeconds
          """);
  private static final String STATEFUL_SET_FIXED =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

  /** Defaults of a rolling update, by kind. */
  private static final Map<String, JsonNode> ROLLING =
      Map.of(
          "Deployment", Json.parse("{\"maxUnavailable\":\"25%\",\"maxSurge\":\"25%\"}"),
          "StatefulSet", Json.parse("{\"partition\":0}"),
          "DaemonSet", Json.parse("{\"maxUnavailable\":1,\"maxSurge\":0}"));

  private final String kind;
  private final boolean deployment;
  private final boolean daemons;

  WorkloadRules(String kind) {
    this.kind = kind;
    this.deployment = kind.equals("Deployment");
    this.daemons = kind.equals("DaemonSet");
  }

  @Override
  public void defaults(ObjectNode object) {
    ObjectNode spec = Json.ensure(object, "spec");
    PodDefaults.spec(Json.at(spec, "template", "spec"));
    JsonNode rolling = ROLLING.get(kind);
    if (rolling != null) {
      ObjectNode strategy = Json.ensure(spec, deployment ? "strategy" : "updateStrategy");
      Json.putDefault(strategy, "type", "RollingUpdate");
      if (Json.text(strategy, "type").equals("RollingUpdate")) {
        ObjectNode target = Json.ensure(strategy, "rollingUpdate");
        rolling.properties().forEach(e -> Json.putDefault(target, e.getKey(), e.getValue()));
      }
    }
  }

  private static JsonNode fixed(JsonNode object) {
    return object.path("spec") instanceof ObjectNode spec
        ? spec.deepCopy().remove(STATEFUL_SET_FREE)
        : Json.object();
  }

  @Override
  public void validate(@Nullable ObjectNode old, Field object) {
    Field spec = object.at("spec");
    spec.at("replicas").nonNegative();
    Field selector = spec.at("selector");
    if (selector.given()) {
      selector.selector();
      if (selector.at("matchLabels").isEmpty() && selector.at("matchExpressions").isEmpty()) {
        // the real server takes the words of deployments for replica sets
        String named = kind.equals("ReplicaSet") ? "deployment" : kind.toLowerCase(Locale.ROOT);
        selector.invalid("{}", "empty selector is invalid for " + named);
      }
    } else if (!daemons) {
      selector.missing();
    }
    template(spec.at("template"), selector.value());
    if (deployment) {
      deployment(spec.at("strategy"));
    } else if (ROLLING.containsKey(kind)) {
      updateStrategy(spec.at("updateStrategy"));
    }
    spec.at("minReadySeconds").nonNegative();
    spec.at("revisionHistoryLimit").nonNegative();
    Field deadline = spec.at("progressDeadlineSeconds");
    deadline.nonNegative();
    long ready = spec.at("minReadySeconds").value().asLong();
    deadline.range(ready + 1, Long.MAX_VALUE, "must be greater than minReadySeconds");
    if (old != null && kind.equals("StatefulSet")) {
      if (!fixed(old).equals(fixed(object.value()))) {
        spec.forbidden(STATEFUL_SET_FIXED);
      }
    } else if (old != null && selector.given()) {
      selector.immutable(old.path("spec").path("selector"));
    }
  }

  /** Checks the template; a missing selector selects nothing, an empty one everything. */
  private void template(Field template, JsonNode selector) {
    Map<String, String> labels = new HashMap<>();
    Field given = template.at("metadata", "labels");
    given.keys().forEach(key -> labels.put(key, given.key(key).text()));
    if (selector.isMissingNode() || !LabelSelector.of(selector).matches(labels)) {
      given.invalid("`selector` does not match template `labels`");
    }
    PodSpecCheck.template(template);
    template.at("spec", "restartPolicy").oneOf("Always");
    Field deadline = template.at("spec", "activeDeadlineSeconds");
    if (deadline.given()) {
      deadline.forbidden(
          "activeDeadlineSeconds in " + (deployment ? "ReplicaSet" : kind) + " is not Supported");
    }
  }

  private static String shown(Field strategy) {
    return "{\"Type\":" + Cause.quote(strategy.text("type")) + ",\"RollingUpdate\":null}";
  }

  private void updateStrategy(Field strategy) {
    if (!List.of("RollingUpdate", "OnDelete").contains(strategy.text("type"))) {
      if (daemons) {
        strategy.unsupported(shown(strategy), "RollingUpdate", "OnDelete");
      } else {
        strategy.invalid(shown(strategy), "must be 'RollingUpdate' or 'OnDelete'");
      }
    }
  }

  private static void deployment(Field strategy) {
    Field rolling = strategy.at("rollingUpdate");
    switch (strategy.text("type")) {
      case "Recreate" -> {
        if (rolling.given()) {
          rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
        }
      }
      case "RollingUpdate" -> {
        Field down = rolling.at("maxUnavailable");
        Field up = rolling.at("maxSurge");
        down.numberOrPercent();
        up.numberOrPercent();
        if (zero(down.value()) && zero(up.value())) {
          down.invalid(down.value().asText(), "may not be 0 when `maxSurge` is 0");
        }
      }
      default -> strategy.unsupported(shown(strategy), "Recreate", "RollingUpdate");
    }
  }

  private static boolean zero(JsonNode value) {
    return value.asText().matches("0|0+%");
  }
}
