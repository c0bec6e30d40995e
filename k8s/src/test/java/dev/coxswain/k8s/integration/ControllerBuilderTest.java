// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.ChannelSource;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One fluent definition leads to the sources that it names. */
class ControllerBuilderTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<Widget> widgets = k8s.resource(Widget.class);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final RecordingSink sink = new RecordingSink();

  @BeforeEach
  void install() {
    server.apply(Widget.DEFINITION);
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private void start(Controller<Request> controller) {
    controller.sources().forEach(source -> Await.get(source.start(sink)));
  }

  private static V1ObjectMeta meta(String name) {
    return new V1ObjectMeta().namespace("default").name(name);
  }

  @Test
  void objectsAreReconciledThemselves_ownedOnesLeadToTheirOwner_othersToWhatTheirHandlerReturns() {
    ControllerBuilder builder =
        k8s.controller("widgets")
            .forKind(Widget.class)
            .owns(V1ConfigMap.class)
            .watches(V1Secret.class, Handlers.map(s -> List.of(Request.of("default", "mapped"))))
            .watches(new ChannelSource<>("orders"));
    Controller<Request> controller = builder.reconciles((request, context) -> Result.done());
    assertThat(controller.name()).isEqualTo("widgets");
    assertThat(controller.sources()).hasSize(4);
    start(controller);

    Widget owner = widgets.create(Widget.of("owner", 1));
    sink.awaitAdded("default/owner 0 EVENT");
    V1ConfigMap owned = new V1ConfigMap().metadata(meta("owned"));
    OwnerReferences.setController(widgets.type(), owner, owned);
    maps.create(owned);
    Await.until(sink.added()::toString, () -> sink.added().size() == 2);
    maps.create(new V1ConfigMap().metadata(meta("foreign")));
    k8s.resource(V1Secret.class).create(new V1Secret().metadata(meta("s")));

    sink.awaitAdded("default/owner 0 EVENT", "default/owner 0 EVENT", "default/mapped 0 EVENT");
    assertThat(builder.source(Widget.class).get(Request.of("default", "owner"))).isPresent();
    Await.until("both maps", () -> builder.source(V1ConfigMap.class).list("default").size() == 2);
  }

  @Test
  void filterOfTheController_appliesToAllKinds_whereverItStands() {
    Widget labelled = Widget.of("labelled", 1);
    labelled.getMetadata().labels(Map.of("team", "a"));
    widgets.create(labelled);
    widgets.create(Widget.of("plain", 1));
    k8s.resource(V1Secret.class).create(new V1Secret().metadata(meta("plain")));
    k8s.resource(V1Secret.class)
        .create(new V1Secret().metadata(meta("labelled").labels(Map.of("team", "a"))));

    start(
        k8s.controller("widgets")
            .filter(event -> event.kind() == ObjectEvent.Kind.ADDED)
            .forKind(k8s.kind(Widget.class).inNamespace("default"))
            .watches(k8s.kind(V1Secret.class).inNamespace("default"))
            .filter(Predicates.selects("team=a"))
            .reconciles((request, context) -> Result.done()));

    sink.awaitAdded("default/labelled -100 INITIAL_LIST", "default/labelled -100 INITIAL_LIST");
  }

  @Test
  void mistakes_areReportedAtOnce() {
    ControllerBuilder builder = k8s.controller("widgets");
    assertThatThrownBy(() -> builder.owns(V1ConfigMap.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("forKind(...) before owns(...)");
    builder.forKind(Widget.class);
    assertThatThrownBy(() -> builder.forKind(V1Secret.class))
        .hasMessageContaining("reconciles widgets.test.coxswain.dev already");
    assertThatThrownBy(() -> builder.source(V1Secret.class))
        .hasMessageContaining("does not watch V1Secret");
    builder.owns(V1Secret.class).owns(k8s.kind(V1Secret.class).labels("a=b"));
    assertThatThrownBy(() -> builder.source(V1Secret.class)).hasMessageContaining("2 sources");
    builder.reconciles((request, context) -> Result.done());
    assertThatThrownBy(() -> builder.filter(event -> true)).hasMessageContaining("built already");
    assertThatThrownBy(() -> builder.owns(V1ConfigMap.class)).hasMessageContaining("built already");
  }
}
