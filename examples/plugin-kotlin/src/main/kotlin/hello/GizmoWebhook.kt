// SPDX-License-Identifier: Apache-2.0
package hello

import dev.coxswain.controller.Controller
import dev.coxswain.controller.ControllerDefinition
import dev.coxswain.controller.ControllerEnvironment
import dev.coxswain.k8s.webhook.AdmissionRequest
import dev.coxswain.k8s.webhook.AdmissionResponse
import dev.coxswain.k8s.webhook.WebhookDefinition
import dev.coxswain.k8s.webhook.Webhooks
import dev.coxswain.reconcile.Result

/** Records the creator of each [Gizmo], and refuses a change of it. A schema can do neither. */
class GizmoWebhook : ControllerDefinition, WebhookDefinition {

    override fun name() = "gizmo-webhook"

    override fun webhooks(webhooks: Webhooks, environment: ControllerEnvironment) {
        webhooks
            .mutating(Gizmo::class.java, ::complete)
            .validating(Gizmo::class.java, ::check)
    }

    /** Fills in what is missing. Defaults of the spec that no schema can have go here, too. */
    private fun complete(request: AdmissionRequest<Gizmo>): AdmissionResponse<Gizmo> {
        val written = request.`object`()
        if (written.createdBy != null) {
            return AdmissionResponse.allowed()
        }
        val creator = request.oldObject()?.createdBy ?: request.user().name()
        written.metadata.putAnnotationsItem(CREATED_BY, creator)
        return AdmissionResponse.patched(written)
    }

    /** Decides on what is left after all mutating webhooks, and changes nothing. */
    private fun check(request: AdmissionRequest<Gizmo>): AdmissionResponse<Gizmo> {
        val stored = request.oldObject()?.createdBy
        if (stored == null || stored == request.`object`().createdBy) {
            return AdmissionResponse.allowed()
        }
        return AdmissionResponse.denied("$CREATED_BY cannot be changed, it is $stored")
    }

    private val Gizmo.createdBy: String?
        get() = metadata.annotations?.get(CREATED_BY)

    /** Each webhook belongs to a controller. This one has no sources, and so nothing to reconcile. */
    override fun create(environment: ControllerEnvironment): Controller<*> =
        Controller.named(name()).reconciles { _, _ -> Result.done() }

    companion object {
        const val CREATED_BY = "hello.example.com/created-by"
    }
}
