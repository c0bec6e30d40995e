// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.k8s.source.Predicates;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

/**
 * Runs each {@link TrainingJob}: creates a Pod and a headless Service for each replica, replaces
 * failed Pods within limits, and records how the job ended.
 *
 * <p>Patterns:
 *
 * <ul>
 *   <li><b>Owned objects.</b> Pods and Services have a controller reference; their events lead to
 *       the job, and they are deleted with it.
 *   <li><b>Expectations against stale caches.</b> The sources read their own writes: a Pod that was
 *       just created or deleted is seen as such before its event arrives, so nothing is created
 *       twice. What another replica of the host wrote is covered by names that follow from the spec,
 *       by preconditions on uids, and by reading the job before anything is created.
 *   <li><b>Counted once.</b> A failed Pod is counted in the status by its uid before it is deleted,
 *       so that a crash in between does not count it again.
 *   <li><b>Status before clean-up.</b> The end of the job is written first; everything after it can
 *       be repeated.
 *   <li><b>No timers.</b> The deadline and the time to live are a {@code Result.requeueAfter}.
 * </ul>
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class TrainingJobController implements ControllerDefinition {

  /** Creates the definition; called by the host. */
  public TrainingJobController() {}

  @Override
  public String name() {
    return "training-job";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<TrainingJob> jobs =
        k8s.kind(TrainingJob.class)
            .filter(Predicates.generationChanged())
            .readYourWrites(k8s.ownWrites())
            .toSource();
    KindSource<V1Pod> pods =
        k8s.kind(V1Pod.class)
            .labels(ReplicaFactory.JOB)
            .indexedBy(Index.byOwnerUid())
            .readYourWrites(k8s.ownWrites())
            .handledBy(Handlers.owner(TrainingJob.class))
            .toSource();
    KindSource<V1Service> services =
        k8s.kind(V1Service.class)
            .labels(ReplicaFactory.JOB)
            .indexedBy(Index.byOwnerUid())
            .readYourWrites(k8s.ownWrites())
            .handledBy(Handlers.owner(TrainingJob.class))
            .toSource();
    return Controller.named(name())
        .watches(jobs)
        .watches(pods)
        .watches(services)
        .reconciles(
            new TrainingJobReconciler(
                jobs,
                new OwnedReplicas(
                    pods,
                    services,
                    k8s.resource(V1Pod.class),
                    k8s.resource(V1Service.class),
                    new ReplicaFactory(k8s.resource(TrainingJob.class).type())),
                k8s.resource(TrainingJob.class),
                environment.clock()));
  }
}
