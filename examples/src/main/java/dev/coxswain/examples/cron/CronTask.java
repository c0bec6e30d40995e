// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.schema.CustomResource;
import dev.coxswain.k8s.schema.PrinterColumn;
import dev.coxswain.k8s.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A resource with a schedule.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "cron.coxswain.dev", version = "v1", plural = "crontasks")
@CustomResource(
    shortNames = "ct",
    columns = {
      @PrinterColumn(name = "Every", jsonPath = ".spec.every"),
      @PrinterColumn(name = "Schedule", jsonPath = ".spec.schedule"),
      @PrinterColumn(name = "Runs", jsonPath = ".status.runs"),
      @PrinterColumn(name = "Last", jsonPath = ".status.lastRun"),
      @PrinterColumn(name = "Next", jsonPath = ".status.nextRun")
    })
public final class CronTask extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  /**
   * The desired state: one of {@code every} and {@code schedule}.
   *
   * @param every an interval such as {@code 10s}
   * @param schedule a cron expression of five fields, in UTC
   * @param suspend whether runs are suspended
   */
  public record Spec(
      @Schema(description = "An interval such as 10s, 5m or 2h.") @Nullable String every,
      @Schema(description = "A cron expression of five fields, in UTC.") @Nullable String schedule,
      boolean suspend) {}

  /**
   * The observed state. Times are ISO-8601 in UTC.
   *
   * @param lastRun the time of the last run
   * @param nextRun the time of the next run
   * @param runs the number of runs
   * @param problem the fault of the spec
   * @param observedGeneration the generation that has been reconciled
   */
  public record Status(
      @Nullable String lastRun,
      @Nullable String nextRun,
      long runs,
      @Nullable String problem,
      @Nullable Long observedGeneration) {}

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
    return status == null ? new Status(null, null, 0, null, null) : status;
  }

  /** Sets the status. */
  public void setStatus(Status value) {
    status = value;
  }
}
