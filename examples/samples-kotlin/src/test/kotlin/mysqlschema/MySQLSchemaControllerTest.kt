// SPDX-License-Identifier: Apache-2.0
package mysqlschema

import dev.coxswain.junit5.CoxswainExtension
import dev.coxswain.junit5.CoxswainTest
import dev.coxswain.reconcile.Request
import io.kubernetes.client.openapi.models.V1Secret
import java.nio.file.Files
import java.nio.file.Path
import java.util.Base64
import java.util.concurrent.ConcurrentHashMap
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

@ExtendWith(CoxswainExtension::class)
class MySQLSchemaControllerTest {

    private val key = Request.of("databases", "mydb1")
    private val secret = Request.of("databases", "mydb1-secret")
    private val definition = Files.readString(Path.of("src/main/resources/coxswain/dev/mysqlschema/crd-mysqlschemas.yaml"))
    private val example =
        """
        apiVersion: mysql.sample.javaoperatorsdk/v1
        kind: MySQLSchema
        metadata: {namespace: databases, name: mydb1}
        spec: {encoding: utf8}
        """.trimIndent()

    private val database = object : Database {
        val passwords = ConcurrentHashMap<String, String>()

        @Volatile var unreachable = false

        override fun has(schema: String) = reached().containsKey(schema)

        override fun create(schema: String, encoding: String, password: String) {
            reached()[schema] = password
        }

        override fun drop(schema: String) {
            reached().remove(schema)
        }

        fun reached() = if (unreachable) throw IllegalStateException("no connection") else passwords
    }

    private fun start(kit: CoxswainTest) {
        kit.install(definition)
        kit.run(mapOf("interval" to "3s"), MySQLSchemaController { database })
        kit.apply(example)
        kit.settle()
    }

    private fun status(kit: CoxswainTest) =
        kit.client().resource(MySQLSchema::class.java).get(key).orElseThrow().status

    private fun password(kit: CoxswainTest) =
        String(kit.client().resource(V1Secret::class.java).get(secret).orElseThrow().data!!.getValue(MySQLSchemaController.PASSWORD))

    @Test
    fun aSchema_isInTheDatabase_withThePasswordOfItsSecret(kit: CoxswainTest) {
        start(kit)
        assertEquals(mapOf("databases_mydb1" to password(kit)), database.passwords)
        assertEquals(
            MySQLSchema.Status("jdbc:mysql://localhost:3306/databases_mydb1", "databases_mydb1", "mydb1-secret", "CREATED"),
            status(kit),
        )
    }

    @Test
    fun aSchemaThatIsLost_isCreatedAgain_withTheSamePassword(kit: CoxswainTest) {
        start(kit)
        val before = password(kit)
        database.passwords.clear()
        kit.eventually("it is there", { database.passwords.toMap() }, mapOf("databases_mydb1" to before)::equals)
    }

    @Test
    fun anUnreachableDatabase_isInTheStatus_andKeepsADeletedObject(kit: CoxswainTest) {
        start(kit)
        database.unreachable = true
        kit.eventually("it is shown", { status(kit)?.status }, "ERROR: no connection"::equals)
        assertNull(status(kit)?.url)

        val schemas = kit.client().resource(MySQLSchema::class.java)
        schemas.delete(key)
        kit.settle()
        assertTrue(schemas.get(key).isPresent)

        database.unreachable = false
        kit.eventually("it is gone", { schemas.get(key).isEmpty }, true::equals)
        assertTrue(database.passwords.isEmpty())
    }

    @Test
    fun anEncodingWithAQuote_isRefused(kit: CoxswainTest) {
        start(kit)
        val refused = runCatching { kit.apply(example.replace("utf8", "\"utf8' --\"")) }
        assertTrue(refused.exceptionOrNull()?.message.orEmpty().contains("encoding"))
    }

    @Test
    fun aPasswordWithAQuote_ofASecretThatWasThere_isRefused(kit: CoxswainTest) {
        val password = Base64.getEncoder().encodeToString("x', 'root'@'%' IDENTIFIED BY 'y".toByteArray())
        kit.apply(
            """
            apiVersion: v1
            kind: Secret
            metadata: {namespace: databases, name: mydb1-secret}
            data: {${MySQLSchemaController.PASSWORD}: $password}
            """.trimIndent(),
        )
        start(kit)
        assertTrue(status(kit)?.status.orEmpty().contains("the password in the Secret"))
        assertTrue(database.passwords.isEmpty())
    }
}
