// SPDX-License-Identifier: Apache-2.0
package hello;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.reconcile.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The API server of the test calls the webhooks, as that of a cluster does. */
@ExtendWith(CoxswainExtension.class)
class GizmoWebhookTest {

  private static final Path DEFINITION =
      Path.of("src/main/resources/coxswain/dev/greeter/crd-gizmos.yaml");
  private static final Path EXAMPLE = Path.of("src/main/k8s/examples/gizmo.yaml");
  private static final Request KEY = Request.of("gizmos", "example");

  @BeforeEach
  void start(CoxswainTest kit) throws IOException {
    kit.install(Files.readString(DEFINITION));
    kit.run(new GizmoWebhook());
    // A namespace of its own, so that it runs in a cluster, too.
    kit.apply(Files.readString(EXAMPLE).replace("metadata:", "metadata:\n  namespace: gizmos"));
  }

  @Test
  void aNewObject_hasItsCreator(CoxswainTest kit) {
    var stored = kit.client().resource(Gizmo.class).get(KEY).orElseThrow().getMetadata();
    assertNotNull(stored.getAnnotations().get(GizmoWebhook.CREATED_BY));
  }

  @Test
  void theCreator_cannotBeChanged(CoxswainTest kit) {
    var gizmos = kit.client().resource(Gizmo.class);
    var denial =
        assertThrows(
            ApiStatusException.class,
            () ->
                gizmos.modify(
                    KEY,
                    it -> it.getMetadata().putAnnotationsItem(GizmoWebhook.CREATED_BY, "other")));
    assertTrue(denial.getMessage().contains("cannot be changed"), denial.getMessage());
  }
}
