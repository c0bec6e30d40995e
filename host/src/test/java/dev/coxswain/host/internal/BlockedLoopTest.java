// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An asynchronous reconciler that blocks its event loop, as no one should write it. */
class BlockedLoopTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final HttpClient http = HttpClient.newHttpClient();
  private final CountDownLatch blocks = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private @Nullable Host host;

  @AfterEach
  void close() {
    release.countDown();
    if (host != null) {
      host.stop().await();
    }
    http.close();
  }

  private HttpResponse<String> get(String url) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private String await(String url, String text) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    String body = "";
    while (!body.contains(text) && System.nanoTime() < deadline) {
      body = get(url).body();
      pauseForTheRateLimit();
    }
    return body;
  }

  /** One caller may send some twenty requests a second. */
  private static void pauseForTheRateLimit() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
  }

  /**
   * The admin API, probes and metrics shared the loops of controllers and stood still with them.
   */
  @Test
  void aReconcilerThatBlocksItsEventLoop_isNamed_whileTheHostAnswers() throws Exception {
    Host host =
        HostSetup.create(
            new HostMetrics("test"),
            List.of(new HostSetup.Definition("blocking", _ -> blocking())),
            "controllers.blocking.ownership=everywhere",
            "changes.pauses.enabled=false");
    this.host = host;
    host.start().await();
    assertThat(blocks.await(1, TimeUnit.MINUTES)).isTrue();
    ReplicaReport report = host.report();
    String controllers = report.admin() + "/api/v1/controllers";

    String listed = await(controllers, "eventLoopBlocked");
    assertThat(listed)
        .contains(
            "\"type\":\"eventLoopBlocked\"", "controller \\\"blocking\\\" holds the event loop");
    HttpResponse<String> items = get(controllers + "/blocking/items");
    assertThat(items.statusCode()).isEqualTo(503);
    assertThat(items.body()).contains("controller-blocked", "holds the event loop at");
    assertThat(get(report.metrics() + "/metrics").body())
        .containsPattern(
            "coxswain_controller_condition\\{[^}]*\"blocking\"[^}]*eventLoopBlocked[^}]*} 1");
    assertThat(get(report.health() + "/livez").statusCode()).isIn(200, 503);

    release.countDown();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (get(controllers).body().contains("eventLoopBlocked")) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      pauseForTheRateLimit();
    }
    assertThat(get(controllers + "/blocking/items").statusCode()).isEqualTo(200);
  }

  private Controller<?> blocking() {
    return Controller.named("blocking")
        .watches(
            new PeriodicSource<>(
                "one object", Duration.ofHours(1), () -> List.of(new Request("default", "one"))))
        .reconcilesAsync((request, context) -> {
          blocks.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return Future.succeededFuture(Result.done());
        });
  }
}
