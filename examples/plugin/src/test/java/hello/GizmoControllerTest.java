// SPDX-License-Identifier: Apache-2.0
package hello;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.reconcile.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CoxswainExtension.class)
class GizmoControllerTest {

  private static final Path DEFINITION =
      Path.of("src/main/resources/coxswain/dev/greeter/crd-gizmos.yaml");
  private static final Path EXAMPLE = Path.of("src/main/k8s/examples/gizmo.yaml");
  private static final Request KEY = Request.of("gizmos", "example");

  @BeforeEach
  void start(CoxswainTest kit) throws IOException {
    kit.install(Files.readString(DEFINITION));
    kit.run(new GizmoController());
    // A namespace of its own, so that it runs in a cluster, too.
    kit.apply(Files.readString(EXAMPLE).replace("metadata:", "metadata:\n  namespace: gizmos"));
  }

  @Test
  void theExample_becomesReady_andEachChangeIsObserved(CoxswainTest kit) {
    kit.settle();
    assertReady(kit, 1);

    kit.client().resource(Gizmo.class).modify(KEY, it -> it.spec = new Gizmo.Spec(9));
    kit.settle();
    assertReady(kit, 2);
  }

  @Test
  void aWriteThatFails_isRepeated(CoxswainTest kit) {
    kit.faults().failNext(1, 500, Duration.ZERO, uri -> uri.contains("/status"));
    kit.settle(); // has failed; an event of an object that it has made may have repeated it already

    kit.advance(Duration.ofSeconds(1)); // of virtual time
    assertReady(kit, 1);
  }

  private static void assertReady(CoxswainTest kit, long generation) {
    var status = kit.client().resource(Gizmo.class).get(KEY).orElseThrow().status;
    assertTrue(StatusConditions.isTrue(status.conditions(), "Ready"));
    assertEquals(generation, status.observedGeneration());
  }
}
