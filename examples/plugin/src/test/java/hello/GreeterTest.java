// SPDX-License-Identifier: Apache-2.0
package hello;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CoxswainExtension.class)
class GreeterTest {

  private static final Request WORLD = Request.of("greetings", "world");

  @Test
  void aConfigMap_isGreeted_andAfterACrashNothingIsWrittenAgain(CoxswainTest kit) {
    kit.run(new Greeter());
    kit.apply(
        "{apiVersion: v1, kind: ConfigMap,"
            + " metadata: {name: world, namespace: greetings, labels: {greet: 'yes'}}}");
    kit.settle();
    var configMaps = kit.client().resource(V1ConfigMap.class);
    V1ConfigMap greeted = configMaps.get(WORLD).orElseThrow();
    assertEquals(Map.of("hello", "Hello world"), greeted.getData());

    kit.crash();
    kit.settle();
    assertEquals(greeted, configMaps.get(WORLD).orElseThrow());
  }

  @Test
  void aConfigMapThatIsGone_isLeftAlone(CoxswainTest kit) {
    assertEquals(Result.done(), Greeter.greet(WORLD, kit.client().resource(V1ConfigMap.class)));
  }
}
