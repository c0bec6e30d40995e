// SPDX-License-Identifier: Apache-2.0
package hello

import dev.coxswain.k8s.resource.CustomObject
import dev.coxswain.k8s.resource.KubernetesResource
import dev.coxswain.k8s.schema.CustomResource
import dev.coxswain.k8s.schema.PrinterColumn
import dev.coxswain.k8s.schema.Schema
import io.kubernetes.client.openapi.models.V1Condition

/** The custom resource: its definition is made of this class by `coxswain crd generate`. */
@KubernetesResource(group = "hello.example.com", version = "v1", plural = "gizmos")
@CustomResource(
    columns = [
        PrinterColumn(name = "Size", jsonPath = ".spec.size"),
        PrinterColumn(
            name = "Ready",
            jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
            type = "string",
        ),
        PrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = "date"),
    ],
)
class Gizmo : CustomObject() {

    @field:Schema(required = true)
    lateinit var spec: Spec

    var status: Status? = null

    /** The desired state, written by users. The API server refuses what the annotations do not allow. */
    data class Spec(
        @field:Schema(description = "How large it is.", minimum = 1.0, maximum = 100.0, defaultValue = "1")
        val size: Int,
    )

    /** The observed state, written by the controller alone. */
    data class Status(
        @field:Schema(description = "The generation that the conditions are about.")
        val observedGeneration: Long?,
        @field:Schema(listMapKeys = ["type"])
        val conditions: List<V1Condition>?,
    )
}
