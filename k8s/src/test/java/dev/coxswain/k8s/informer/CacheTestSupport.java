// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** A scripted server with caches of its ConfigMaps. */
abstract class CacheTestSupport {

  static final CacheKey<V1ConfigMap> ALL =
      new CacheKey<>(ResourceType.of(V1ConfigMap.class), "", "", "");

  static final CacheOptions FAST =
      CacheOptions.DEFAULT
          .withMinBackoff(Duration.ofMillis(40))
          .withMaxBackoff(Duration.ofMillis(200))
          .withAbsentApiWait(Duration.ofMillis(30))
          .withShortWatch(Duration.ofMillis(100));

  static final KubernetesOptions PAGED =
      KubernetesOptions.DEFAULT.withPageSize(2).withStreamedLists(false);

  final ScriptedServer server = new ScriptedServer();
  InformerRegistry caches = caches(PAGED);

  InformerRegistry caches(KubernetesOptions options) {
    return new InformerRegistry(new ApiTransport(server.client(), options), FAST, Clock.system());
  }

  @AfterEach
  void close() {
    caches.close();
    server.close();
  }

  /** Opens the cache and waits until it has synced and its watch is open. */
  InformerHandle<V1ConfigMap> synced(RecordingListener listener) {
    InformerHandle<V1ConfigMap> handle = caches.use(ALL);
    Await.get(handle.subscribe("test", listener).synced());
    Await.until("the watch to be open", () -> server.openWatches() >= 1);
    return handle;
  }
}
