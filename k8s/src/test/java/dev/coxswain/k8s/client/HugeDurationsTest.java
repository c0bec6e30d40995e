// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** "For ever" is written as the longest duration there is; none of them may overflow. */
class HugeDurationsTest {

  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  @Test
  void sourcesAndCaches_takeTheLongestDurations() {
    RecordingSink sink = new RecordingSink();
    try (ScriptedServer server = new ScriptedServer();
        Kubernetes k8s =
            Kubernetes.of(
                server.client(),
                KubernetesOptions.DEFAULT
                    .withCallTimeout(FOR_EVER)
                    .withListTimeout(FOR_EVER)
                    .withIdleTimeout(FOR_EVER),
                new CacheOptions(
                    Duration.ofMillis(1),
                    FOR_EVER,
                    FOR_EVER,
                    FOR_EVER,
                    FOR_EVER,
                    FOR_EVER,
                    FOR_EVER),
                Clock.system())) {
      server.nextWatch(ScriptedServer.Answer.status(500, "InternalError"));
      server.put("a", "x", "1");
      var source = k8s.kind(V1ConfigMap.class).resyncEvery(FOR_EVER).toSource();

      Await.get(source.start(sink));
      server.put("a", "y", "1");

      sink.awaitAdded("a/x -100 INITIAL_LIST", "a/y 0 EVENT");
      Await.get(source.stop());
    }
  }

  @Test
  void periodicSource_takesTheLongestInterval() {
    RecordingSink sink = new RecordingSink();
    PeriodicSource<Request> source =
        new PeriodicSource<>("once", FOR_EVER, () -> List.of(Request.of("x")));

    Await.get(source.start(sink));

    assertThat(source.problem()).isEmpty();
    assertThat(sink.added()).containsExactly("x -100 INITIAL_LIST");
    Await.get(source.stop());
  }
}
