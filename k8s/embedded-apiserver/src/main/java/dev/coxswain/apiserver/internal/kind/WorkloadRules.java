// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.spec.PodSpecCheck;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
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
  public void validate(@Nullable ObjectNode old, ObjectNode object, Causes causes) {
    JsonNode spec = object.path("spec");
    Checks.nonNegative(spec.path("replicas"), "spec.replicas", causes);
    JsonNode selector = spec.path("selector");
    boolean daemons = kind.equals("DaemonSet");
    if (selector.isObject()) {
      Checks.selector(selector, "spec.selector", causes);
      if (selector.path("matchLabels").isEmpty() && selector.path("matchExpressions").isEmpty()) {
        // the real server takes the words of deployments for replica sets
        String named = kind.equals("ReplicaSet") ? "deployment" : kind.toLowerCase(Locale.ROOT);
        causes.invalid("spec.selector", "{}", "empty selector is invalid for " + named);
      }
    } else if (!daemons) {
      causes.required("spec.selector");
    }
    template(spec.path("template"), selector, causes);
    if (kind.equals("Deployment")) {
      deployment(spec, causes);
    }
    if (daemons || kind.equals("StatefulSet")) {
      updateStrategy(Json.text(spec.path("updateStrategy"), "type"), daemons, causes);
    }
    for (String field : List.of("minReadySeconds", "revisionHistoryLimit")) {
      Checks.nonNegative(spec.path(field), "spec." + field, causes);
    }
    deadline(spec, causes);
    if (old != null && kind.equals("StatefulSet")) {
      if (!fixed(old).equals(fixed(object))) {
        causes.forbidden("spec", STATEFUL_SET_FIXED);
      }
    } else if (old != null && !selector.isMissingNode()) {
      Checks.immutable(old.path("spec").path("selector"), selector, "spec.selector", causes);
    }
  }

  /** Checks the template; a missing selector selects nothing, an empty one everything. */
  private void template(JsonNode template, JsonNode selector, Causes causes) {
    Map<String, String> labels = new HashMap<>();
    JsonNode given = template.path("metadata").path("labels");
    given.properties().forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    if (selector.isMissingNode() || !LabelSelector.of(selector).matches(labels)) {
      causes.invalid(
          "spec.template.metadata.labels",
          given.isMissingNode() ? "null" : given.toString(),
          "`selector` does not match template `labels`");
    }
    PodSpecCheck.template(template, "spec.template", causes);
    String restart = Json.text(template.path("spec"), "restartPolicy");
    if (!restart.equals("Always")) {
      causes.notSupported("spec.template.spec.restartPolicy", Cause.quote(restart), "\"Always\"");
    }
    if (template.path("spec").has("activeDeadlineSeconds")) {
      causes.forbidden(
          "spec.template.spec.activeDeadlineSeconds",
          "activeDeadlineSeconds in "
              + (kind.equals("Deployment") ? "ReplicaSet" : kind)
              + " is not Supported");
    }
  }

  private static void updateStrategy(String type, boolean daemons, Causes causes) {
    if (type.equals("RollingUpdate") || type.equals("OnDelete")) {
      return;
    }
    String shown = "{\"Type\":" + Cause.quote(type) + ",\"RollingUpdate\":null}";
    causes.add(
        daemons
            ? Cause.notSupported("spec.updateStrategy", shown, "\"RollingUpdate\", \"OnDelete\"")
            : Cause.invalid("spec.updateStrategy", shown, "must be 'RollingUpdate' or 'OnDelete'"));
  }

  private static void deployment(JsonNode spec, Causes causes) {
    JsonNode strategy = spec.path("strategy");
    String path = "spec.strategy.rollingUpdate";
    JsonNode rolling = strategy.path("rollingUpdate");
    switch (Json.text(strategy, "type")) {
      case "Recreate" -> {
        if (rolling.isObject()) {
          causes.forbidden(path, "may not be specified when strategy `type` is 'Recreate'");
        }
      }
      case "RollingUpdate" -> {
        JsonNode down = rolling.path("maxUnavailable");
        JsonNode up = rolling.path("maxSurge");
        Checks.numberOrPercent(down, path + ".maxUnavailable", causes);
        Checks.numberOrPercent(up, path + ".maxSurge", causes);
        if (zero(down) && zero(up)) {
          causes.invalid(
              path + ".maxUnavailable", down.asText(), "may not be 0 when `maxSurge` is 0");
        }
      }
      default ->
          causes.notSupported(
              "spec.strategy",
              "{\"Type\":" + Cause.quote(Json.text(strategy, "type")) + ",\"RollingUpdate\":null}",
              "\"Recreate\", \"RollingUpdate\"");
    }
  }

  private static boolean zero(JsonNode value) {
    return value.asText().equals("0") || value.asText().matches("0+%");
  }

  private static void deadline(JsonNode spec, Causes causes) {
    JsonNode deadline = spec.path("progressDeadlineSeconds");
    Checks.nonNegative(deadline, "spec.progressDeadlineSeconds", causes);
    if (deadline.isNumber() && deadline.longValue() <= spec.path("minReadySeconds").asLong()) {
      causes.invalid(
          "spec.progressDeadlineSeconds",
          deadline.asText(),
          "must be greater than minReadySeconds");
    }
  }
}
