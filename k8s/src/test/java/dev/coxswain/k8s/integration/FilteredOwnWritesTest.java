// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.ForeignObjectException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.NumberedSlots;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Own writes of a sharded controller, while its watch sends nothing. */
class FilteredOwnWritesTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final KeptSlots slots = new KeptSlots(new NumberedSlots(4));
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final Request own = Request.of("default", "x1");
  private final Request foreign = Request.of("default", "x2");
  private final KindSource<V1ConfigMap> source =
      k8s.kind(V1ConfigMap.class).inNamespace("default").readYourWrites(k8s.ownWrites()).toSource();

  @BeforeEach
  void start() {
    KubernetesRuntime.of(k8s).keepOnly(slots);
    Await.get(slots.keep(List.of(1)));
    Await.get(source.start(new RecordingSink(true)));
    server.faults().silenceWatches(true);
  }

  @AfterEach
  void close() {
    Await.get(source.stop());
    k8s.close();
    server.close();
  }

  private void write(Request key, String value) {
    maps.createOrPatch(
        key,
        () -> new V1ConfigMap().metadata(new V1ObjectMeta()),
        map -> map.setData(new HashMap<>(Map.of("v", value))));
  }

  @Test
  void foreignWrite_isReadUntilTheCacheHasPassedIt_thenReadingThrows() {
    write(foreign, "1");
    write(own, "1");

    assertThat(source.get(foreign).map(ConfigMaps::value)).contains("1");
    assertThat(source.owned().keys()).as("what belongs to own requests").containsExactly(own);
    assertThatThrownBy(source::list).isInstanceOf(ForeignObjectException.class);
    server.faults().silenceWatches(false);
    server.faults().closeWatches();

    Await.until("the cache to pass the writes", () -> throwsForeign(foreign));
    assertThat(source.get(own).map(ConfigMaps::value)).contains("1");
    assertThat(source.owned().list()).hasSize(1);
  }

  private boolean throwsForeign(Request key) {
    try {
      source.get(key);
      return false;
    } catch (ForeignObjectException e) {
      return true;
    }
  }

  @Test
  void writeOfASlotThatWasReleased_doesNotHideTheNextOwnersChanges() {
    write(own, "mine");
    assertThat(source.get(own)).isPresent();

    slots.release(List.of(1));
    Await.until("the write to be dropped", () -> throwsForeign(own));
    try (Kubernetes next = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      next.resource(V1ConfigMap.class).delete(own);
    }
    Await.get(slots.keep(List.of(1)));

    assertThat(source.get(own)).as("deleted by the next owner").isEmpty();
  }
}
