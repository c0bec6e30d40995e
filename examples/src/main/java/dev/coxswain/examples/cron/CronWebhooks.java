// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.k8s.webhook.AdmissionRequest;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookOptions;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.spi.Clock;

/**
 * The webhooks of {@link CronTask}: a task without a schedule gets one, and an invalid schedule or Pod is
 * refused when it is written.
 *
 * <p>A write passes while no replica can be reached, because the reconciler finds the same
 * faults: the webhooks only report it sooner.
 *
 * <p>Thread rule: called on virtual threads.
 */
final class CronWebhooks {

  /** The interval of a task that has neither an interval nor a schedule. */
  static final String DEFAULT_EVERY = "1m";

  private static final WebhookOptions OPTIONS = WebhookOptions.DEFAULT.withIgnoreFailures(true);
  private static final int INVALID = 422;

  private final Clock clock;

  CronWebhooks(Clock clock) {
    this.clock = clock;
  }

  void declare(Webhooks webhooks) {
    webhooks
        .mutating(CronTask.class, OPTIONS, this::complete)
        .validating(CronTask.class, OPTIONS, this::check);
  }

  private AdmissionResponse<CronTask> complete(AdmissionRequest<CronTask> request) {
    CronTask task = request.object();
    CronTask.Spec spec = task.spec();
    if (spec.every() != null || spec.schedule() != null) {
      return AdmissionResponse.allowed();
    }
    task.setSpec(spec.withEvery(DEFAULT_EVERY));
    return AdmissionResponse.patched(task)
        .warning("no schedule given, the task runs every " + DEFAULT_EVERY);
  }

  private AdmissionResponse<CronTask> check(AdmissionRequest<CronTask> request) {
    try {
      CronRuns.check(request.key().name(), request.object().spec());
      Schedule.of(request.object().spec()).after(clock.instant());
      return AdmissionResponse.allowed();
    } catch (IllegalArgumentException | IllegalStateException e) {
      return AdmissionResponse.denied(String.valueOf(e.getMessage()), INVALID);
    }
  }
}
