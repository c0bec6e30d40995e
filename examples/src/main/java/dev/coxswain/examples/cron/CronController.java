// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import io.kubernetes.client.openapi.models.V1ConfigMap;

/**
 * Runs each {@link CronTask} when it is due. A run writes a record: the ConfigMap {@code
 * NAME-last-run}, owned by the task, and the times in the status.
 *
 * <p>Patterns:
 *
 * <ul>
 *   <li><b>No timers.</b> Each attempt ends with {@code Result.requeueAfter(time until the next
 *       run)}. It costs no token, resets the failure count, and is visible in the admin API.
 *   <li><b>At least once.</b> The record is written before the status. When the process dies in
 *       between, the run is done again, and writing the same ConfigMap again is harmless.
 *   <li><b>Missed runs</b> (the host was down) are run once, not one by one.
 *   <li><b>Owned objects.</b> The ConfigMap has a controller reference: it is deleted with its
 *       task, and its events map to the task, which restores a deleted one.
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
    return Controller.named(name())
        .watches(k8s.kind(CronTask.class).filter(Predicates.generationChanged()).toSource())
        .watches(
            k8s.kind(V1ConfigMap.class)
                .labels(CronReconciler.LABEL + "=true")
                .handledBy(Handlers.owner(CronTask.class))
                .toSource())
        .reconciles(
            new CronReconciler(
                k8s.resource(CronTask.class),
                k8s.resource(V1ConfigMap.class),
                environment.clock()));
  }
}
