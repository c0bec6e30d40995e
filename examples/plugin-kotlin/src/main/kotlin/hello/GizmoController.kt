// SPDX-License-Identifier: Apache-2.0
package hello

import dev.coxswain.controller.Controller
import dev.coxswain.controller.ControllerDefinition
import dev.coxswain.controller.ControllerEnvironment
import dev.coxswain.k8s.Kubernetes
import dev.coxswain.k8s.`object`.StatusConditions
import dev.coxswain.k8s.resource.Resource
import dev.coxswain.k8s.source.Predicates
import dev.coxswain.reconcile.Request
import dev.coxswain.reconcile.Result
import dev.coxswain.spi.Clock
import io.kubernetes.client.openapi.models.V1Condition

/** Reconciles each [Gizmo], and reports in its status how far it is. */
class GizmoController : ControllerDefinition {

    override fun name() = "gizmo"

    override fun create(environment: ControllerEnvironment): Controller<*> {
        val k8s = environment.get(Kubernetes::class.java)
        // A write of the status leaves the generation as it is, so it causes no further attempt.
        val cache = k8s.kind(Gizmo::class.java).filter(Predicates.generationChanged()).toSource()
        val gizmos = k8s.resource(Gizmo::class.java)
        return Controller.named(name())
            .watches(cache)
            .reconciles { request, _ ->
                cache.get(request)
                    .map { reconcile(request, it, gizmos, environment.clock()) }
                    .orElse(Result.done()) // it is deleted, and so is all that it owned
            }
    }

    /** One attempt. It may run again at any time, so it changes only what differs. */
    private fun reconcile(request: Request, found: Gizmo, gizmos: Resource<Gizmo>, clock: Clock): Result {
        // The work goes here. After an exception the attempt is repeated, later each time.

        val generation = found.metadata.generation
        val ready = V1Condition()
            .type("Ready")
            .status(StatusConditions.TRUE)
            .reason("Reconciled")
            .message("the size is ${found.spec.size}")
            .observedGeneration(generation)
        gizmos.modifyStatus(request) {
            it.status = Gizmo.Status(generation, StatusConditions.with(it.status?.conditions, ready, clock))
        }
        return Result.done()
    }
}
