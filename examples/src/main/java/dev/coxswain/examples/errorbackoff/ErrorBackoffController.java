// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.errorbackoff;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.k8s.source.Predicates;

/**
 * Reconciles {@link Trial}: each attempt ends as {@code spec.outcome} says.
 *
 * <p>What to try:
 *
 * <ul>
 *   <li>{@code kubectl get trials -A}: the failing ones never get a phase.
 *   <li>{@code GET /api/v1/controllers/error-backoff/items?failing=true}: how often they have failed
 *       and when they are tried again.
 *   <li>{@code kubectl patch trial always-fails-1 --type merge -p '{"spec":{"outcome":"Done"}}'}:
 *       the event makes it due at once, whatever its backoff was.
 * </ul>
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class ErrorBackoffController implements ControllerDefinition {

  /** Creates the definition; called by the host. */
  public ErrorBackoffController() {}

  @Override
  public String name() {
    return "error-backoff";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    Resource<Trial> write = k8s.resource(Trial.class);
    // A write of the status is an event as well; without the filter each object is reconciled
    // twice.
    KindSource<Trial> trials =
        k8s.kind(Trial.class).filter(Predicates.generationChanged()).toSource();
    return Controller.named(name())
        .watches(trials)
        .reconciles(new TrialReconciler(trials::get, trial -> markReady(write, trial)));
  }

  /** Sends nothing when the status is unchanged. */
  private static void markReady(Resource<Trial> write, Trial trial) {
    Long generation = trial.getMetadata().getGeneration();
    write.modifyStatus(
        write.key(trial),
        stored -> stored.setStatus(new Trial.Status("Ready", trial.spec().message(), generation)));
  }
}
