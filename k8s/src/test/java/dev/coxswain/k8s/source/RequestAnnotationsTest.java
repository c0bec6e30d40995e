// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Actions requested by {@code kubectl annotate} run once, also for events that predicates stop. */
class RequestAnnotationsTest {

  private static final Request KEY = Request.of("default", "x");
  private static final String RECONCILE = RequestAnnotations.RECONCILE_REQUESTED_AT;
  private static final String RESET = RequestAnnotations.RESET_BACKOFF;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final RecordingSink sink = new RecordingSink();

  @BeforeEach
  void create() {
    maps.create(
        new V1ConfigMap()
            .metadata(
                new V1ObjectMeta()
                    .namespace("default")
                    .name("x")
                    .putAnnotationsItem(RECONCILE, "long ago")
                    .putAnnotationsItem(RESET, "long ago")));
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  /** Watches objects whose data changes; a ConfigMap has no generation. */
  private KindSelection<V1ConfigMap> onlyData() {
    return k8s.kind(V1ConfigMap.class)
        .fields("metadata.name=x")
        .filter(event ->
            event
                .before()
                .map(before -> !String.valueOf(before.getData()).equals(data(event.object())))
                .orElse(true));
  }

  private static String data(V1ConfigMap map) {
    return String.valueOf(map.getData());
  }

  private KindSource<V1ConfigMap> start(KindSelection<V1ConfigMap> selection) {
    KindSource<V1ConfigMap> source = selection.toSource();
    Await.get(source.start(sink));
    return source;
  }

  /** Sends what {@code kubectl annotate --overwrite} sends; null removes. */
  private void annotate(String name, @Nullable String value) {
    JsonObject annotations = new JsonObject();
    if (value == null) {
      annotations.add(name, JsonNull.INSTANCE);
    } else {
      annotations.addProperty(name, value);
    }
    patch("metadata", "annotations", annotations);
  }

  private void data(String value) {
    JsonObject data = new JsonObject();
    data.addProperty("v", value);
    JsonObject patch = new JsonObject();
    patch.add("data", data);
    maps.patch(KEY, patch);
  }

  private void patch(String outer, String inner, JsonObject value) {
    JsonObject middle = new JsonObject();
    middle.add(inner, value);
    JsonObject patch = new JsonObject();
    patch.add(outer, middle);
    maps.patch(KEY, patch);
  }

  @Test
  void aNewValue_isHeard_thoughThePredicateStopsTheEvent() {
    start(onlyData());
    sink.awaitAdded("default/x -100 INITIAL_LIST"); // what was there before means nothing

    annotate(RECONCILE, "1");
    sink.awaitAdded("default/x -100 INITIAL_LIST", "default/x 0 OPERATOR");

    annotate(RESET, "1");
    sink.awaitAdded("default/x -100 INITIAL_LIST", "default/x 0 OPERATOR", "default/x forgotten");

    annotate("other", "1"); // is stopped as before
    annotate(RESET, null); // removing means nothing
    annotate(RECONCILE, "2");
    sink.awaitAdded(
        "default/x -100 INITIAL_LIST",
        "default/x 0 OPERATOR",
        "default/x forgotten",
        "default/x 0 OPERATOR");
  }

  @Test
  void otherChangesOfAnAnnotatedObject_areWhatTheyWere() {
    start(onlyData());
    annotate(RECONCILE, "1");
    sink.awaitAdded("default/x -100 INITIAL_LIST", "default/x 0 OPERATOR");
    data("1");
    sink.awaitAdded("default/x -100 INITIAL_LIST", "default/x 0 OPERATOR", "default/x 0 EVENT");
  }

  @Test
  void anEventThatPassesAnyway_isDeliveredOnce() {
    start(k8s.kind(V1ConfigMap.class).fields("metadata.name=x"));
    annotate(RECONCILE, "1");
    sink.awaitAdded("default/x -100 INITIAL_LIST", "default/x 0 OPERATOR");
    annotate(RESET, "1");
    sink.awaitAdded(
        "default/x -100 INITIAL_LIST",
        "default/x 0 OPERATOR",
        "default/x forgotten",
        "default/x 0 EVENT");
  }

  @Test
  void aSourceThatStartsAgain_doesNotRepeatWhatWasAskedBefore() {
    KindSource<V1ConfigMap> first = start(onlyData());
    annotate(RECONCILE, "1");
    sink.awaitAdded("default/x -100 INITIAL_LIST", "default/x 0 OPERATOR");
    Await.get(first.stop());

    start(onlyData());
    annotate(RESET, "1");
    sink.awaitAdded(
        "default/x -100 INITIAL_LIST",
        "default/x 0 OPERATOR",
        "default/x -100 INITIAL_LIST",
        "default/x forgotten");
  }

  @Test
  void theRequestsOfTheHandler_areMeant() {
    start(onlyData().handledBy(Handlers.map(map -> List.of(Request.of("default", "owner")))));
    annotate(RECONCILE, "1");
    sink.awaitAdded("default/owner -100 INITIAL_LIST", "default/owner 0 OPERATOR");
  }

  @Test
  void aViewOfTheMetadataAlone_hearsThem_too() {
    KindSource<?> source =
        k8s.kind(ResourceType.of(V1ConfigMap.class).metadataOnly())
            .fields("metadata.name=x")
            .filter(event -> event.before().isEmpty())
            .toSource();
    Await.get(source.start(sink));
    annotate(RECONCILE, "1");
    sink.awaitAdded("default/x -100 INITIAL_LIST", "default/x 0 OPERATOR");
  }
}
