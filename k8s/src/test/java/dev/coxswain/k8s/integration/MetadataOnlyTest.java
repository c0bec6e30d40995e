// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A view of the metadata alone is for looking: written back, it would take the rest away. */
class MetadataOnlyTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> whole = k8s.resource(V1ConfigMap.class);
  private final Resource<PartialObjectMetadata> view =
      k8s.resource(ResourceType.of(V1ConfigMap.class).metadataOnly());
  private final Request key = Request.of("default", "x");
  private final Request absent = Request.of("default", "absent");

  @BeforeEach
  void create() {
    whole.create(
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("default").name("x"))
            .data(Map.of("v", "1")));
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private static PartialObjectMetadata named(String name) {
    return new PartialObjectMetadata(
        null, null, new V1ObjectMeta().namespace("default").name(name));
  }

  @Test
  void everyWrite_isRefusedAtTheCall_whetherItWouldChangeAnythingOrNot() {
    V1ConfigMap before = whole.get(key).orElseThrow();
    Map<String, Runnable> writes = new LinkedHashMap<>();
    writes.put("create", () -> view.create(named("new")));
    writes.put("update", () -> view.update(named("x")));
    writes.put("updateStatus", () -> view.updateStatus(named("x")));
    writes.put("patch", () -> view.patch(key, new JsonObject()));
    writes.put("patchStatus", () -> view.patchStatus(key, new JsonObject()));
    writes.put("jsonPatch", () -> view.jsonPatch(key, new JsonArray()));
    writes.put("apply", () -> view.apply(named("x")));
    writes.put("applyStatus", () -> view.applyStatus(named("x"), "me", true));
    writes.put("modify", () -> view.modify(absent, object -> {}));
    writes.put("modifyStatus", () -> view.modifyStatus(absent, object -> {}));
    writes.put("createOrPatch", () -> view.createOrPatch(key, () -> named("x"), object -> {}));
    writes.put("finalizer", () -> Finalizers.add(view, absent, "test.coxswain.dev/hold"));

    // Nothing is sent: a request would fail otherwise.
    server.faults().failNext(1_000, 500, Duration.ZERO, uri -> true);
    writes.forEach((name, write) ->
        assertThatThrownBy(write::run)
            .as(name)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("metadata of configmaps alone")
            .hasMessageContaining("resource("));

    server.faults().reset();
    assertThat(whole.get(key)).contains(before);
    assertThat(whole.list(ListOptions.ALL.inNamespace("default"))).hasSize(1);
  }

  @Test
  void readingAndDeleting_work() {
    assertThat(view.get(key)).isPresent();
    assertThat(view.list(ListOptions.ALL.inNamespace("default"))).hasSize(1);

    assertThat(view.delete(key)).isTrue();

    assertThat(whole.get(key)).isEmpty();
  }
}
