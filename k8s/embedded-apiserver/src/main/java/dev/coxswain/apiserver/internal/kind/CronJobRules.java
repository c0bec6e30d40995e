// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** CronJobs: defaults and a schedule that must be there; any thread. */
final class CronJobRules implements KindRules {
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
  public void validate(@Nullable ObjectNode old, ObjectNode job, List<Cause> causes) {
    if (Json.text(job.get("spec"), "schedule").isEmpty()) {
      causes.add(Cause.required("spec.schedule", ""));
    }
    JobRules.validate(
        job.path("spec").path("jobTemplate").path("spec"), "spec.jobTemplate.spec", causes);
  }
}
