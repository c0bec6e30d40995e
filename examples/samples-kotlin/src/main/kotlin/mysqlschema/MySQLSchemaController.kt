// SPDX-License-Identifier: Apache-2.0
package mysqlschema

import dev.coxswain.controller.Controller
import dev.coxswain.controller.ControllerDefinition
import dev.coxswain.controller.ControllerEnvironment
import dev.coxswain.k8s.Kubernetes
import dev.coxswain.k8s.`object`.FinalizerRegistry
import dev.coxswain.k8s.resource.OwnerReferences
import dev.coxswain.k8s.resource.Resource
import dev.coxswain.reconcile.Request
import dev.coxswain.reconcile.Result
import dev.coxswain.reconcile.TerminalException
import io.kubernetes.client.openapi.models.V1Secret
import java.time.Duration
import java.util.UUID
import kotlin.jvm.optionals.getOrNull

/** A schema in the database, and a Secret with its user, for each [MySQLSchema]. */
class MySQLSchemaController(private val databases: (Settings) -> Database = ::MySql) : ControllerDefinition {

    /** What the person who deploys it may set. The password is in a mounted file. */
    @JvmRecord
    data class Settings(val host: String, val user: String, val passwordFile: String, val interval: Duration) {
        companion object {
            val DEFAULTS = Settings("localhost:3306", "root", "/etc/mysql-password", Duration.ofMinutes(1))
        }
    }

    override fun name() = "mysql-schema"

    override fun create(environment: ControllerEnvironment): Controller<*> {
        val settings = environment.config(Settings.DEFAULTS)
        val database = databases(settings)
        val k8s = environment.get(Kubernetes::class.java)
        val builder = k8s.controller(name()).forKind(MySQLSchema::class.java).owns(V1Secret::class.java)
        val cache = builder.source(MySQLSchema::class.java)
        val schemas = k8s.resource(MySQLSchema::class.java)
        val secrets = k8s.resource(V1Secret::class.java)
        val finalizers = FinalizerRegistry(schemas)
            .register("mysql.sample.javaoperatorsdk/schema") { database.drop(schemaOf(schemas.key(it))) }
        return builder.reconciles { request, _ ->
            val live = cache.get(request).flatMap { finalizers.handle(it) }.getOrNull()
            if (live == null) {
                Result.done()
            } else {
                try {
                    reconcile(live, request, schemas, secrets, database, settings)
                } catch (e: Exception) {
                    report(request, schemas, MySQLSchema.Status(null, null, null, "ERROR: ${e.message}"))
                    throw e
                }
                Result.requeueAfter(settings.interval) // the database sends no events
            }
        }
    }

    private fun reconcile(
        found: MySQLSchema,
        request: Request,
        schemas: Resource<MySQLSchema>,
        secrets: Resource<V1Secret>,
        database: Database,
        settings: Settings,
    ) {
        val name = schemaOf(request)
        if (name.length > MAX_NAME) {
            throw TerminalException("the user $name would have more than $MAX_NAME characters", null)
        }
        val secret = secrets.createOrPatch(Request.of(request.namespace(), "${request.name()}-secret"), ::V1Secret) {
            OwnerReferences.setController(schemas.type(), found, it)
            if (it.data?.containsKey(PASSWORD) != true) {
                it.putStringDataItem(USER, name).putStringDataItem(PASSWORD, UUID.randomUUID().toString())
            }
        }
        if (!database.has(name)) {
            val password = String(secret.data!!.getValue(PASSWORD))
            // It becomes a part of a statement of the administrator, and the Secret may have been written by anyone in the namespace.
            require(password.all { it.isLetterOrDigit() || it == '-' }) { "the password in the Secret has other characters than letters, digits and -" }
            database.create(name, found.spec.encoding, password)
        }
        val url = "jdbc:mysql://${settings.host}/$name"
        report(request, schemas, MySQLSchema.Status(url, name, secret.metadata.name, "CREATED"))
    }

    private fun report(request: Request, schemas: Resource<MySQLSchema>, status: MySQLSchema.Status) {
        schemas.modifyStatus(request) { it.status = status }
    }

    companion object {
        const val USER = "mysql.secret.user.name"
        const val PASSWORD = "mysql.secret.user.password"
        private const val MAX_NAME = 32

        /** Names of Kubernetes have no underscore, so no two objects share a schema. */
        fun schemaOf(request: Request) = "${request.namespace()}_${request.name()}"
    }
}
