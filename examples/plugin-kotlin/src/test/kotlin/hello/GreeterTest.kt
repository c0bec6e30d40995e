// SPDX-License-Identifier: Apache-2.0
package hello

import dev.coxswain.junit5.CoxswainExtension
import dev.coxswain.junit5.CoxswainTest
import dev.coxswain.reconcile.Request
import dev.coxswain.reconcile.Result
import io.kubernetes.client.openapi.models.V1ConfigMap
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

@ExtendWith(CoxswainExtension::class)
class GreeterTest {

    private val world = Request.of("greetings", "world")

    @Test
    fun aConfigMap_isGreeted_andAfterACrashNothingIsWrittenAgain(kit: CoxswainTest) {
        kit.run(Greeter())
        kit.apply(
            """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: world, namespace: greetings, labels: {greet: 'yes'}}
            """.trimIndent(),
        )
        kit.settle()
        val configMaps = kit.client().resource(V1ConfigMap::class.java)
        val greeted = configMaps.get(world).orElseThrow()
        assertEquals(mapOf("hello" to "Hello world"), greeted.data)

        kit.crash()
        kit.settle()
        assertEquals(greeted, configMaps.get(world).orElseThrow())
    }

    @Test
    fun aConfigMapThatIsGone_isLeftAlone(kit: CoxswainTest) {
        val configMaps = kit.client().resource(V1ConfigMap::class.java)
        assertEquals(Result.done(), Greeter.greet(world, configMaps))
    }
}
