// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A controller records Events with the recorder of its environment. */
class ControllerEventsTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Kubernetes access = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  @AfterEach
  void close() {
    user.close();
    server.close();
  }

  @Test
  void anEvent_namesTheControllerAndTheReplica() throws Exception {
    Host host =
        new Host(
            ConfigurationLoader.load(
                null,
                Map.of(),
                List.of(
                    "replicaName=shop-1",
                    "admin.port=0",
                    "admin.auth.mode=none",
                    "metrics.port=0",
                    "health.port=0",
                    "changes.pauses.enabled=false",
                    "controllers.greeter.ownership=everywhere")),
            List.of(new Greeter()),
            access,
            new HostMetrics("shop-1"),
            Clock.system());
    host.start().await();
    try {
      user.resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("world")));
      Resource<EventsV1Event> events = user.resource(EventsV1Event.class);
      ListOptions greeted = ListOptions.ALL.inNamespace("default").fields("reason=Greeted");
      Await.until("the Event", () -> !events.list(greeted).isEmpty(), server::url);
      EventsV1Event event = events.list(greeted).getFirst();
      assertThat(event.getReportingController()).isEqualTo("greeter");
      assertThat(event.getReportingInstance()).isEqualTo("shop-1");
    } finally {
      host.stop().await();
    }
  }

  /** Greets each ConfigMap. */
  private static final class Greeter implements ControllerDefinition {
    @Override
    public String name() {
      return "greeter";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      KindSource<V1ConfigMap> maps =
          environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource();
      EventRecorder events = environment.get(EventRecorder.class);
      return Controller.named("greeter")
          .watches(maps)
          .reconciles((request, context) -> {
            maps.get(request).ifPresent(map -> events.normal(map, "Greeted", "Greet", "hello"));
            return Result.done();
          });
    }
  }
}
