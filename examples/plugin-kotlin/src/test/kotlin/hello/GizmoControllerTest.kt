// SPDX-License-Identifier: Apache-2.0
package hello

import dev.coxswain.junit5.CoxswainExtension
import dev.coxswain.junit5.CoxswainTest
import dev.coxswain.k8s.`object`.StatusConditions
import dev.coxswain.reconcile.Request
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

@ExtendWith(CoxswainExtension::class)
class GizmoControllerTest {

    private val definition = Path.of("src/main/resources/coxswain/dev/greeter/crd-gizmos.yaml")
    private val example = Path.of("src/main/k8s/examples/gizmo.yaml")
    private val key = Request.of("gizmos", "example")

    @BeforeEach
    fun start(kit: CoxswainTest) {
        kit.install(Files.readString(definition))
        kit.run(GizmoController())
        // A namespace of its own, so that it runs in a cluster, too.
        kit.apply(Files.readString(example).replace("metadata:", "metadata:\n  namespace: gizmos"))
    }

    @Test
    fun theExample_becomesReady_andEachChangeIsObserved(kit: CoxswainTest) {
        kit.settle()
        assertReady(kit, 1)

        kit.client().resource(Gizmo::class.java).modify(key) { it.spec = Gizmo.Spec(9) }
        kit.settle()
        assertReady(kit, 2)
    }

    @Test
    fun aWriteThatFails_isRepeated(kit: CoxswainTest) {
        kit.faults().failNext(1, 500, Duration.ZERO) { it.contains("/status") }
        kit.settle()

        kit.advance(Duration.ofSeconds(1)) // of virtual time
        assertReady(kit, 1)
    }

    private fun assertReady(kit: CoxswainTest, generation: Long) {
        val status = kit.client().resource(Gizmo::class.java).get(key).orElseThrow().status
        assertTrue(StatusConditions.isTrue(status?.conditions, "Ready"))
        assertEquals(generation, status?.observedGeneration)
    }
}
