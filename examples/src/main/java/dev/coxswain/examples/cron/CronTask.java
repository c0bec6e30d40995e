// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.schema.CustomResource;
import dev.coxswain.k8s.schema.PrinterColumn;
import dev.coxswain.k8s.schema.Schema;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Pod that runs at set times.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "cron.coxswain.dev", version = "v1", plural = "crontasks")
@CustomResource(
    shortNames = "ct",
    columns = {
      @PrinterColumn(name = "Every", jsonPath = ".spec.every"),
      @PrinterColumn(name = "Schedule", jsonPath = ".spec.schedule"),
      @PrinterColumn(name = "Suspend", jsonPath = ".spec.suspend"),
      @PrinterColumn(name = "Runs", jsonPath = ".status.runs"),
      @PrinterColumn(name = "Missed", jsonPath = ".status.missed"),
      @PrinterColumn(name = "Last", jsonPath = ".status.lastScheduleTime"),
      @PrinterColumn(name = "Next", jsonPath = ".status.nextRun")
    })
public final class CronTask extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  /** What happens when a run is due while an earlier one is active. */
  public enum ConcurrencyPolicy {
    /** Both run. */
    Allow,
    /** The new one waits until the active one has ended, and is dropped at its deadline. */
    Forbid,
    /** The active one is deleted. */
    Replace
  }

  /**
   * The desired state: one of {@code every} and {@code schedule}, and what to run.
   *
   * @param every an interval such as {@code 10s}
   * @param schedule a cron expression of five fields, in UTC
   * @param suspend whether no runs are started
   * @param startingDeadlineSeconds how late a run may start; null for any time
   * @param concurrencyPolicy what happens to runs that overlap; null for {@code Allow}
   * @param successfulRunsHistoryLimit how many Pods that succeeded are kept; null for 3
   * @param failedRunsHistoryLimit how many Pods that failed are kept; null for 1
   * @param template the Pod of each run; null for one that prints the date
   */
  public record Spec(
      @Schema(description = "An interval such as 10s, 5m or 2h.") @Nullable String every,
      @Schema(description = "A cron expression of five fields, in UTC.") @Nullable String schedule,
      @Schema(description = "Whether no runs are started.") boolean suspend,
      @Schema(description = "How late a run may start; a later one counts as missed.", minimum = 1)
          @Nullable Long startingDeadlineSeconds,
      @Schema(description = "What happens when a run is due while an earlier one is active.")
          @Nullable ConcurrencyPolicy concurrencyPolicy,
      @Schema(description = "How many Pods that succeeded are kept, 3 by default.", minimum = 0)
          @Nullable Integer successfulRunsHistoryLimit,
      @Schema(description = "How many Pods that failed are kept, 1 by default.", minimum = 0)
          @Nullable Integer failedRunsHistoryLimit,
      @Schema(description = "The Pod of each run; by default it prints the date.", anyJson = true)
          @Nullable V1PodTemplateSpec template) {

    /** Creates a spec with a schedule alone. */
    public Spec(@Nullable String every, @Nullable String schedule, boolean suspend) {
      this(every, schedule, suspend, null, null, null, null, null);
    }

    /** Returns the same with an interval. */
    public Spec withEvery(String interval) {
      return new Spec(
          interval,
          schedule,
          suspend,
          startingDeadlineSeconds,
          concurrencyPolicy,
          successfulRunsHistoryLimit,
          failedRunsHistoryLimit,
          template);
    }

    ConcurrencyPolicy concurrency() {
      return concurrencyPolicy == null ? ConcurrencyPolicy.Allow : concurrencyPolicy;
    }

    int succeededToKeep() {
      return successfulRunsHistoryLimit == null ? 3 : successfulRunsHistoryLimit;
    }

    int failedToKeep() {
      return failedRunsHistoryLimit == null ? 1 : failedRunsHistoryLimit;
    }

    V1PodTemplateSpec templateOrDate() {
      return template != null
          ? template
          : new V1PodTemplateSpec()
              .spec(
                  new V1PodSpec()
                      .restartPolicy("Never")
                      .addContainersItem(
                          new V1Container()
                              .name("date")
                              .image("busybox:stable")
                              .addCommandItem("date")));
    }
  }

  /**
   * The observed state. Times are ISO-8601 in UTC.
   *
   * @param lastScheduleTime the due time of the last run that was started or dropped
   * @param lastSuccessfulTime the due time of the last run that succeeded
   * @param nextRun the time of the next run; null while there is none
   * @param runs how many runs were started
   * @param missed how many runs were not started: the host was down, or their deadline had passed
   * @param active the Pods that run
   * @param problem the fault of the spec
   * @param observedGeneration the generation that has been reconciled
   */
  public record Status(
      @Nullable String lastScheduleTime,
      @Nullable String lastSuccessfulTime,
      @Nullable String nextRun,
      long runs,
      long missed,
      List<String> active,
      @Nullable String problem,
      @Nullable Long observedGeneration) {
    public Status {
      active = active == null ? List.of() : List.copyOf(active);
    }
  }

  /** Returns the spec, or an empty one. */
  public Spec spec() {
    return spec == null ? new Spec(null, null, false) : spec;
  }

  /** Sets the spec. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns the status, or an empty one. */
  public Status status() {
    return status == null ? new Status(null, null, null, 0, 0, List.of(), null, null) : status;
  }

  /** Sets the status. */
  public void setStatus(Status value) {
    status = value;
  }
}
