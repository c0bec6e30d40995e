// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.ServerAccess;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Set;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;

/**
 * An embedded API server for many runs, one after the other.
 *
 * <p>Thread rule: any thread that may block.
 */
public final class TestServer implements AutoCloseable {

  /** An informer that lost its watch reads again at once: nothing is gained by waiting. */
  private static final CacheOptions CACHES =
      CacheOptions.DEFAULT
          .withMinBackoff(Duration.ofMillis(1))
          .withMaxBackoff(Duration.ofMillis(10))
          .withAbsentApiWait(Duration.ofMillis(10));

  private final Instant begin;

  /** The clock of the time stamps of objects: that of the run. */
  private volatile InstantSource clock = InstantSource.system();

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withBookmarkInterval(Duration.ofHours(1))
              .withClock(() -> clock.instant()));
  private final OkHttpClient http = new OkHttpClient();
  private final Set<String> installed = new HashSet<>();

  /** Starts a server whose runs begin at the present. */
  public TestServer() {
    this(Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }

  private TestServer(Instant begin) {
    this.begin = begin;
  }

  /** Starts another server, whose runs are the same: they begin at the same time of day. */
  public TestServer another() {
    return new TestServer(begin);
  }

  /** Returns the wall clock at the begin of each run. */
  Instant begin() {
    return begin;
  }

  /** Returns the server. */
  public EmbeddedApiServer api() {
    return server;
  }

  /** Applies definitions once, however often it is called. */
  public synchronized void install(String yaml) {
    if (installed.add(yaml)) {
      server.apply(yaml);
    }
  }

  /** Stamps objects with the time of a run from now on. */
  void follow(KitTime time) {
    clock = time::instant;
  }

  /** Stamps objects with the time of the system again. */
  void unfollow() {
    clock = InstantSource.system();
  }

  /** Returns a client whose requests pass an interceptor. */
  Kubernetes client(Interceptor interceptor, boolean streamedLists, KitTime time) {
    ServerAccess access =
        ServerAccess.of(server.url(), http.newBuilder().addInterceptor(interceptor).build());
    KubernetesOptions options = KubernetesOptions.DEFAULT.withStreamedLists(streamedLists);
    return Kubernetes.of(access, options, CACHES, time);
  }

  @Override
  public void close() {
    http.connectionPool().evictAll();
    server.close();
  }
}
