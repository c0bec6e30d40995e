// SPDX-License-Identifier: Apache-2.0
package hello;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GreeterTest {

  private static final Request WORLD = Request.of("default", "world");

  @Test
  void aConfigMap_isGreeted_andTheSecondAttemptChangesNothing() {
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      server.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: world, namespace: default}}");
      var configMaps = k8s.resource(V1ConfigMap.class);

      assertEquals(Result.done(), Greeter.greet(WORLD, configMaps));
      V1ConfigMap greeted = configMaps.get(WORLD).orElseThrow();
      assertEquals(Map.of("hello", "Hello world"), greeted.getData());

      Greeter.greet(WORLD, configMaps);
      assertEquals(greeted, configMaps.get(WORLD).orElseThrow());
    }
  }

  @Test
  void aConfigMapThatIsGone_isLeftAlone() {
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      assertEquals(Result.done(), Greeter.greet(WORLD, k8s.resource(V1ConfigMap.class)));
    }
  }
}
