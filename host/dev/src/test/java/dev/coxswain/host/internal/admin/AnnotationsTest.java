// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ItemId;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With {@code kubectl} alone an object that waits for long is tried again, or forgiven. */
class AnnotationsTest {

  private static final Request KEY = Request.of("default", "x");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = kubernetes.resource(V1ConfigMap.class);
  private final AtomicInteger attempts = new AtomicInteger();
  private final Host host =
      new Host(
          Admin.configuration("one", "controllers.failing.backoff={base: 1000s, max: 1000s}"),
          List.of(new Failing()),
          kubernetes,
          new HostMetrics("one"),
          Clock.system());
  private final Admin admin = new Admin(host);

  @BeforeEach
  void start() {
    maps.create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("x")));
    host.start().await();
    host.ready().await();
    Admin.await(() -> attempts.get() == 1 && isDelayed(1));
  }

  @AfterEach
  void stop() {
    admin.close();
    host.stop().await();
    server.close();
  }

  @Test
  void anAnnotation_hasTheObjectTriedAgain_longBeforeItsTime() {
    annotate("coxswain.dev/reconcile-requested-at", "1");
    Admin.await(() -> attempts.get() == 2 && isDelayed(1)); // within its backoff it counts no more
    annotate("coxswain.dev/reconcile-requested-at", "2");
    Admin.await(() -> attempts.get() == 3 && isDelayed(1));
  }

  @Test
  void anAnnotation_hasItsFailuresForgotten_andItGoesOnWaiting() {
    annotate("coxswain.dev/reset-backoff", "1");
    Admin.await(() -> isDelayed(0));
    assertThat(attempts).hasValue(1);
  }

  private void annotate(String name, String value) {
    String patch = "{\"metadata\":{\"annotations\":{\"" + name + "\":\"" + value + "\"}}}";
    maps.patch(KEY, JsonParser.parseString(patch).getAsJsonObject());
  }

  private boolean isDelayed(int failures) {
    JsonNode item = admin.get("/controllers/failing/items/" + new ItemId("default", "x").encoded());
    return item.path("phase").asText().equals("delayed")
        && item.path("failures").asInt(-1) == failures;
  }

  /** Fails every attempt, and receives only new objects. */
  private final class Failing implements ControllerDefinition {
    @Override
    public String name() {
      return "failing";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named("failing")
          .watches(
              environment
                  .get(Kubernetes.class)
                  .kind(V1ConfigMap.class)
                  .fields("metadata.name=x")
                  .filter(event -> event.before().isEmpty())
                  .toSource())
          .reconciles((request, context) -> {
            attempts.incrementAndGet();
            throw new IllegalStateException("on purpose");
          });
    }
  }
}
