// SPDX-License-Identifier: Apache-2.0
package mysqlschema

import java.nio.file.Files
import java.nio.file.Path
import java.sql.Connection
import java.sql.DriverManager

/** Schemas with a user for each, who has the name of the schema. Methods block. */
interface Database {

    fun has(schema: String): Boolean

    /** Creates what is missing of both, and sets the password. */
    fun create(schema: String, encoding: String, password: String)

    /** Removes what is there of both. */
    fun drop(schema: String)
}

/** Names have no quotes, since those of Kubernetes have none; encoding and password are checked before. */
class MySql(private val settings: MySQLSchemaController.Settings) : Database {

    override fun has(schema: String): Boolean = connected { connection ->
        connection.prepareStatement("SELECT 1 FROM information_schema.schemata WHERE schema_name = ?").use {
            it.setString(1, schema)
            it.executeQuery().use { found -> found.next() }
        }
    }

    override fun create(schema: String, encoding: String, password: String) = execute(
        "CREATE SCHEMA IF NOT EXISTS `$schema` DEFAULT CHARACTER SET $encoding",
        "CREATE USER IF NOT EXISTS '$schema' IDENTIFIED BY '$password'",
        "ALTER USER '$schema' IDENTIFIED BY '$password'",
        "GRANT ALL ON `$schema`.* TO '$schema'",
    )

    override fun drop(schema: String) =
        execute("DROP SCHEMA IF EXISTS `$schema`", "DROP USER IF EXISTS '$schema'")

    private fun execute(vararg statements: String) = connected { connection ->
        connection.createStatement().use { statement -> statements.forEach { statement.execute(it) } }
    }

    private fun <T> connected(work: (Connection) -> T): T {
        val password = Files.readString(Path.of(settings.passwordFile)).trim() // each time, since it may be replaced
        return DriverManager.getConnection("jdbc:mysql://${settings.host}", settings.user, password).use(work)
    }
}
