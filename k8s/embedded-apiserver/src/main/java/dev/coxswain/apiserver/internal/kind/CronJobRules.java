// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** CronJobs: defaults and a schedule that must be there; any thread. */
final class CronJobRules implements KindRules {
  private static final int MAX_NAME = 52;

  @Override
  public void defaults(ObjectNode job) {
    ObjectNode spec = Json.ensure(job, "spec");
    Json.putDefault(spec, "concurrencyPolicy", "Allow");
    if (!spec.has("suspend")) {
      spec.put("suspend", false);
    }
    Json.putDefault(spec, "successfulJobsHistoryLimit", 3);
    Json.putDefault(spec, "failedJobsHistoryLimit", 1);
    ObjectNode template =
        Json.ensure(Json.ensure(Json.ensure(spec, "jobTemplate"), "spec"), "template");
    PodDefaults.spec(Json.ensure(template, "spec"));
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode job, Causes causes) {
    JsonNode spec = job.path("spec");
    String name = Json.text(job.get("metadata"), "name");
    if (old == null && name.length() > MAX_NAME) {
      causes.invalidText("metadata.name", name, "must be no more than 52 characters");
    }
    String schedule = Json.text(spec, "schedule");
    int fields = schedule.isBlank() ? 0 : schedule.strip().split("\\s+").length;
    if (schedule.isEmpty()) {
      causes.required("spec.schedule");
    } else if (!schedule.startsWith("@") && fields != 5) {
      causes.invalidText(
          "spec.schedule",
          schedule,
          "expected exactly 5 fields, found %s: [%s]"
              .formatted(fields, String.join(" ", schedule.strip().split("\\s+"))));
    }
    Checks.nonNegative(
        spec.path("startingDeadlineSeconds"), "spec.startingDeadlineSeconds", causes);
    Checks.oneOf(
        Json.text(spec, "concurrencyPolicy"),
        "spec.concurrencyPolicy",
        List.of("Allow", "Forbid", "Replace"),
        causes);
    JobRules.validate(spec.path("jobTemplate").path("spec"), "spec.jobTemplate.spec", causes);
    for (String field : List.of("successfulJobsHistoryLimit", "failedJobsHistoryLimit")) {
      Checks.nonNegative(spec.path(field), "spec." + field, causes);
    }
  }
}
