// SPDX-License-Identifier: Apache-2.0
package hello;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Condition;

/** Reconciles each {@link Gizmo}, and reports in its status how far it is. */
public final class GizmoController implements ControllerDefinition {

  @Override
  public String name() {
    return "gizmo";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    // A write of the status leaves the generation as it is, so it causes no further attempt.
    var cache = k8s.kind(Gizmo.class).filter(Predicates.generationChanged()).toSource();
    var gizmos = k8s.resource(Gizmo.class);
    return Controller.named(name())
        .watches(cache)
        .reconciles((request, context) ->
            cache
                .get(request)
                .map(it -> reconcile(request, it, gizmos, environment.clock()))
                .orElse(Result.done())); // it is deleted, and so is all that it owned
  }

  /** One attempt. It may run again at any time, so it changes only what differs. */
  static Result reconcile(Request request, Gizmo found, Resource<Gizmo> gizmos, Clock clock) {
    // The work goes here. After an exception the attempt is repeated, later each time.

    Long generation = found.getMetadata().getGeneration();
    var ready =
        new V1Condition()
            .type("Ready")
            .status(StatusConditions.TRUE)
            .reason("Reconciled")
            .message("the size is " + found.spec.size())
            .observedGeneration(generation);
    gizmos.modifyStatus(
        request,
        it -> {
          var before = it.status == null ? null : it.status.conditions();
          it.status = new Gizmo.Status(generation, StatusConditions.with(before, ready, clock));
        });
    return Result.done();
  }
}
