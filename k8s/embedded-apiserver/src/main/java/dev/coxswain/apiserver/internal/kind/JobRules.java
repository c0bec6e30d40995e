// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.spec.PodSpecCheck;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jobs: generated selector and labels, defaults; any thread. */
final class JobRules implements KindRules {
  private static final List<String> NUMBERS =
      Json.words(
          "parallelism completions activeDeadlineSeconds backoffLimit ttlSecondsAfterFinished");
  private static final List<String> FIXED =
      List.of("completions", "selector", "template", "completionMode");
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
    spec(Json.ensure(job, "spec"));
  }

  static void spec(ObjectNode spec) {
    if (!spec.has("completions") && !spec.has("parallelism")) {
      spec.put("completions", 1);
    }
    Json.putDefault(spec, "parallelism", 1);
    Json.putDefault(spec, "backoffLimit", 6);
    Json.putDefault(spec, "completionMode", "NonIndexed");
    Json.putDefault(spec, "podReplacementPolicy", "TerminatingOrFailed");
    if (!spec.has("suspend")) {
      spec.put("suspend", false);
    }
    PodDefaults.spec(Json.ensure(Json.ensure(spec, "template"), "spec"));
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode job, Causes causes) {
    validate(job.path("spec"), "spec", causes);
    if (old != null) {
      JsonNode before = old.path("spec");
      JsonNode now = job.path("spec");
      for (String field : FIXED) {
        boolean same = before.path(field).equals(now.path(field));
        if (!same && !free(field, before, now)) {
          causes.invalid("spec." + field, now.path(field).toString(), "field is immutable");
        }
      }
    }
  }

  /** A suspended job may still get another template; an indexed one may grow in step. */
  private static boolean free(String field, JsonNode before, JsonNode now) {
    return switch (field) {
      case "template" -> before.path("suspend").asBoolean();
      case "completions" ->
          Json.text(now, "completionMode").equals("Indexed")
              && now.path("completions").equals(now.path("parallelism"));
      default -> false;
    };
  }

  static void validate(JsonNode spec, String path, Causes causes) {
    for (String field : NUMBERS) {
      Checks.nonNegative(spec.path(field), path + "." + field, causes);
    }
    String mode = Json.text(spec, "completionMode");
    if (!mode.isEmpty()) {
      Checks.oneOf(mode, path + ".completionMode", List.of("NonIndexed", "Indexed"), causes);
    }
    if (mode.equals("Indexed") && !spec.has("completions")) {
      causes.required(path + ".completions", "when completion mode is Indexed");
    }
    JsonNode pod = spec.path("template").path("spec");
    PodSpecCheck.template(spec.path("template"), path + ".template", causes);
    String policy = Json.text(pod, "restartPolicy");
    String here = path + ".template.spec.restartPolicy";
    if (policy.equals("Always") || policy.isEmpty()) {
      causes.required(here, "valid values: \"OnFailure\", \"Never\"");
    } else if (!policy.equals("Never") && !policy.equals("OnFailure")) {
      causes.notSupported(here, Cause.quote(policy), "\"OnFailure\", \"Never\"");
    }
  }
}
