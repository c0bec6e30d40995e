// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.PodSpecCheck;
import dev.coxswain.apiserver.internal.status.Field;
import org.jspecify.annotations.Nullable;

/** Jobs: generated selector and labels; any thread. */
final class JobRules implements KindRules {
  private static final String PREFIX = "batch.kubernetes.io/";

  @Override
  public void prepare(ObjectNode job) {
    ObjectNode spec = Json.ensure(job, "spec");
    ObjectNode meta = Json.ensure(job, "metadata");
    String uid = Json.text(meta, "uid");
    String name = Json.text(meta, "name");
    if (!spec.path("manualSelector").asBoolean()) {
      ObjectNode labels =
          Json.ensure(Json.ensure(Json.ensure(spec, "template"), "metadata"), "labels");
      labels.put(PREFIX + "controller-uid", uid).put("controller-uid", uid);
      labels.put(PREFIX + "job-name", name).put("job-name", name);
      Json.ensure(Json.ensure(spec, "selector"), "matchLabels").put(PREFIX + "controller-uid", uid);
    }
    JsonNode template = spec.path("template").path("metadata").path("labels");
    if (!meta.has("labels") && template.isObject()) {
      meta.set("labels", template.deepCopy());
    }
  }

  @Override
  public void defaults(ObjectNode job) {
    ObjectNode spec = Json.ensure(job, "spec");
    if (!spec.has("completions") && !spec.has("parallelism")) {
      spec.put("completions", 1);
    }
    PodDefaults.spec(Json.at(spec, "template", "spec"));
  }

  @Override
  public void validate(@Nullable ObjectNode old, Field job) {
    Field spec = job.at("spec");
    validate(spec);
    if (old != null) {
      JsonNode before = old.path("spec");
      for (Field field : spec.each("completions", "selector", "template", "completionMode")) {
        String name = field.path().substring("spec.".length());
        if (!free(name, before, spec)) {
          field.immutable(before.path(name));
        }
      }
    }
  }

  /** The template of a suspended job may change; completions and parallelism of an indexed one may change together. */
  private static boolean free(String field, JsonNode before, Field now) {
    return switch (field) {
      case "template" -> before.path("suspend").asBoolean();
      case "completions" ->
          now.text("completionMode").equals("Indexed")
              && now.at("completions").value().equals(now.at("parallelism").value());
      default -> false;
    };
  }

  /** Checks the spec of a job, also in a CronJob. */
  static void validate(Field spec) {
    spec.each(
            "parallelism",
            "completions",
            "activeDeadlineSeconds",
            "backoffLimit",
            "ttlSecondsAfterFinished")
        .forEach(Field::nonNegative);
    Field mode = spec.at("completionMode");
    mode.unlessEmpty(m -> m.oneOf("NonIndexed", "Indexed"));
    if (mode.text().equals("Indexed") && !spec.at("completions").given()) {
      spec.at("completions").missing("when completion mode is Indexed");
    }
    PodSpecCheck.template(spec.at("template"));
    Field policy = spec.at("template", "spec", "restartPolicy");
    if (policy.isEmpty() || policy.text().equals("Always")) {
      policy.missing("valid values: \"OnFailure\", \"Never\"");
    } else {
      policy.oneOf("OnFailure", "Never");
    }
  }
}
