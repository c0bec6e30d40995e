// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Field;
import org.jspecify.annotations.Nullable;

/** CronJobs: a schedule that must be there, and the job; any thread. */
final class CronJobRules implements KindRules {
  private static final int MAX_NAME = 52;

  @Override
  public void defaults(ObjectNode job) {
    PodDefaults.spec(Json.at(job, "spec", "jobTemplate", "spec", "template", "spec"));
  }

  @Override
  public void validate(@Nullable ObjectNode old, Field job) {
    Field name = job.at("metadata", "name");
    if (old == null && name.text().length() > MAX_NAME) {
      name.invalidText("must be no more than 52 characters");
    }
    Field spec = job.at("spec");
    Field schedule = spec.at("schedule");
    String[] fields = schedule.text().strip().split("\\s+");
    int count = schedule.text().isBlank() ? 0 : fields.length;
    if (schedule.required() && !schedule.text().startsWith("@") && count != 5) {
      schedule.invalidText(
          "expected exactly 5 fields, found %s: [%s]".formatted(count, String.join(" ", fields)));
    }
    spec.at("startingDeadlineSeconds").nonNegative();
    spec.at("concurrencyPolicy").oneOf("Allow", "Forbid", "Replace");
    JobRules.validate(spec.at("jobTemplate", "spec"));
    spec.at("successfulJobsHistoryLimit").nonNegative();
    spec.at("failedJobsHistoryLimit").nonNegative();
  }
}
