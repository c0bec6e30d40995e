// SPDX-License-Identifier: Apache-2.0
package hello

import dev.coxswain.junit5.CoxswainExtension
import dev.coxswain.junit5.CoxswainTest
import dev.coxswain.k8s.client.ApiStatusException
import dev.coxswain.reconcile.Request
import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

/** The API server of the test calls the webhooks, as that of a cluster does. */
@ExtendWith(CoxswainExtension::class)
class GizmoWebhookTest {

    private val definition = Path.of("src/main/resources/coxswain/dev/greeter/crd-gizmos.yaml")
    private val example = Path.of("src/main/k8s/examples/gizmo.yaml")
    private val key = Request.of("gizmos", "example")

    @BeforeEach
    fun start(kit: CoxswainTest) {
        kit.install(Files.readString(definition))
        kit.run(GizmoWebhook())
        // A namespace of its own, so that it runs in a cluster, too.
        kit.apply(Files.readString(example).replace("metadata:", "metadata:\n  namespace: gizmos"))
    }

    @Test
    fun aNewObject_hasItsCreator(kit: CoxswainTest) {
        val stored = kit.client().resource(Gizmo::class.java).get(key).orElseThrow()
        assertNotNull(stored.metadata.annotations?.get(GizmoWebhook.CREATED_BY))
    }

    @Test
    fun theCreator_cannotBeChanged(kit: CoxswainTest) {
        val gizmos = kit.client().resource(Gizmo::class.java)
        val denial = assertThrows(ApiStatusException::class.java) {
            gizmos.modify(key) { it.metadata.putAnnotationsItem(GizmoWebhook.CREATED_BY, "other") }
        }
        assertTrue(denial.message.orEmpty().contains("cannot be changed"), denial.message)
    }
}
