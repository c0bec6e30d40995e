// SPDX-License-Identifier: Apache-2.0
package mysqlschema

import dev.coxswain.k8s.resource.CustomObject
import dev.coxswain.k8s.resource.KubernetesResource
import dev.coxswain.k8s.schema.Schema

/** A schema in a MySQL, with a user of its own. */
@KubernetesResource(group = "mysql.sample.javaoperatorsdk", version = "v1", plural = "mysqlschemas")
class MySQLSchema : CustomObject() {

    @field:Schema(required = true)
    lateinit var spec: Spec

    var status: Status? = null

    data class Spec(
        // It becomes a part of a statement.
        @field:Schema(required = true, pattern = "^[a-z0-9]{1,32}$")
        val encoding: String,
    )

    data class Status(
        val url: String?,
        val userName: String?,
        val secretName: String?,
        val status: String,
    )
}
