// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.Faults;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A new embedded server of this process, which everything may be done to. */
final class EmbeddedCluster implements StormCluster {

  /** A storm of a minute has no time for the waits of production, which last up to 70 s. */
  private static final KubernetesOptions LIMITS =
      KubernetesOptions.DEFAULT
          .withCallTimeout(Duration.ofSeconds(5))
          .withIdleTimeout(Duration.ofSeconds(2))
          .withPageSize(300);

  private static final CacheOptions RECONNECT =
      CacheOptions.DEFAULT
          .withMinBackoff(Duration.ofMillis(50))
          .withMaxBackoff(Duration.ofSeconds(2))
          .withBackoffReset(Duration.ofSeconds(10))
          .withAbsentApiWait(Duration.ofMillis(500))
          .withShortWatch(Duration.ofMillis(100));

  /** Its history is full early: its memory must not be taken for a leak. */
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withWatchHistory(500)
              .withBookmarkInterval(Duration.ofMillis(500)));

  @Override
  public Kubernetes controllers() {
    return connect(LIMITS);
  }

  @Override
  public Kubernetes outside() {
    return connect(LIMITS.withCallTimeout(Duration.ofSeconds(30)));
  }

  private Kubernetes connect(KubernetesOptions options) {
    return Kubernetes.of(
        new ApiClient().setBasePath(server.url()), options, RECONNECT, Clock.system());
  }

  @Override
  public Optional<Faults> faults() {
    return Optional.of(server.faults());
  }

  @Override
  public List<String> skipped() {
    return List.of();
  }

  @Override
  public boolean remains() {
    return false;
  }

  @Override
  public String describe() {
    return "embedded API server in this process";
  }

  @Override
  public void close() {
    server.close();
  }
}
