// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.k8s.webhook.AdmissionRequest;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.WebhookOptions;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Pod;

/**
 * Starts a Pod for each {@link CronTask} when it is due, after the model of Kubernetes' CronJob.
 *
 * <p>Patterns:
 *
 * <ul>
 *   <li><b>No timers.</b> Each attempt ends with {@code Result.requeueAfter(time until the next
 *       run)}. It costs no token, resets the failure count, and is visible in the admin API.
 *   <li><b>Exactly one Pod for each due time.</b> Its name has the due time. It is created before the
 *       status is written: when the process dies in between, creating it again is a conflict.
 *   <li><b>Missed runs</b> (the host was down, the task suspended) are counted; the last one is
 *       started, unless it is too late for it.
 *   <li><b>Owned objects.</b> The Pods have a controller reference: they are deleted with their task,
 *       and their end is an event of the task.
 *   <li><b>Permanent errors</b>: an invalid schedule is a {@code TerminalException}; the next edit
 *       is the next attempt.
 *   <li><b>Webhooks</b>: an invalid schedule is already refused when it is written, see {@link
 *       CronWebhooks}.
 * </ul>
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class CronController implements ControllerDefinition, WebhookDefinition {

  /** Creates the definition; called by the host. */
  public CronController() {}

  @Override
  public String name() {
    return "cron";
  }

  @Override
  public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
    new CronWebhooks(environment.clock()).declare(webhooks);
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<V1Pod> pods =
        k8s.kind(V1Pod.class)
            .labels(CronRuns.TASK)
            .indexedBy(Index.byOwnerUid())
            .readYourWrites(k8s.ownWrites())
            .handledBy(Handlers.owner(CronTask.class))
            .toSource();
    Resource<CronTask> tasks = k8s.resource(CronTask.class);
    return Controller.named(name())
        .watches(k8s.kind(CronTask.class).filter(Predicates.generationChanged()).toSource())
        .watches(pods)
        .reconciles(
            new CronReconciler(
                tasks,
                new CronRuns(pods, k8s.resource(V1Pod.class), tasks.type()),
                environment.clock()));
  }

  /**
   * The webhooks of {@link CronTask}: a task without a schedule gets one, and an invalid schedule or Pod is
   * refused when it is written.
   *
   * <p>A write passes while no replica can be reached, because the reconciler finds the same
   * faults: the webhooks only report it sooner.
   */
  private static final class CronWebhooks {

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
}
