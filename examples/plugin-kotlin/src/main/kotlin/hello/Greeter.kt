// SPDX-License-Identifier: Apache-2.0
package hello

import dev.coxswain.controller.Controller
import dev.coxswain.controller.ControllerDefinition
import dev.coxswain.controller.ControllerEnvironment
import dev.coxswain.k8s.Kubernetes
import dev.coxswain.k8s.resource.Resource
import dev.coxswain.reconcile.Request
import dev.coxswain.reconcile.Result
import io.kubernetes.client.openapi.models.V1ConfigMap

/** Writes a greeting into every ConfigMap with the label `greet=yes`. */
class Greeter : ControllerDefinition {

    override fun name() = "greeter"

    override fun create(environment: ControllerEnvironment): Controller<*> {
        val k8s = environment.get(Kubernetes::class.java)
        val configMaps = k8s.resource(V1ConfigMap::class.java)
        return Controller.named(name())
            .watches(k8s.kind(V1ConfigMap::class.java).labels("greet=yes").toSource())
            .reconciles { request, _ -> greet(request, configMaps) }
    }

    companion object {
        private const val GREETING = "Hello "

        /** One attempt. It may run again at any time, so it changes only what differs. */
        fun greet(request: Request, configMaps: Resource<V1ConfigMap>): Result {
            configMaps.modify(request) { it.putDataItem("hello", GREETING + request.name()) }
            return Result.done()
        }
    }
}
