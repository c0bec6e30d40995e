// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import org.jspecify.annotations.Nullable;

/**
 * A resource with a schedule.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "cron.coxswain.dev", version = "v1", plural = "crontasks")
public final class CronTask extends CustomObject {

  private @Nullable Spec spec;
  private @Nullable Status status;

  /**
   * What is wanted: one of {@code every} and {@code schedule}.
   *
   * @param every an interval such as {@code 10s}
   * @param schedule a cron expression of five fields, in UTC
   * @param suspend whether nothing runs for now
   */
  public record Spec(@Nullable String every, @Nullable String schedule, boolean suspend) {}

  /**
   * What is the case. Times are ISO-8601 in UTC.
   *
   * @param lastRun when it ran last
   * @param nextRun when it runs next
   * @param runs how often it has run
   * @param problem what is wrong with the spec
   * @param observedGeneration the generation that has been acted on
   */
  public record Status(
      @Nullable String lastRun,
      @Nullable String nextRun,
      long runs,
      @Nullable String problem,
      @Nullable Long observedGeneration) {}

  /** Returns what is wanted; an empty spec when there is none. */
  public Spec spec() {
    return spec == null ? new Spec(null, null, false) : spec;
  }

  /** Sets what is wanted. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns what is the case; an empty status when nobody has said. */
  public Status status() {
    return status == null ? new Status(null, null, 0, null, null) : status;
  }

  /** Sets what is the case. */
  public void setStatus(Status value) {
    status = value;
  }
}
