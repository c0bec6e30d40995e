// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls through a connection: its time limit, its thread, its address. */
class ConnectionTest {

  private static final Request KEY = Request.of("default", "x");
  private static final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private static final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  @AfterAll
  static void stop() {
    k8s.close();
    server.close();
  }

  @Test
  void call_endsAtItsTimeLimit() {
    try (Kubernetes hasty =
        Kubernetes.at(
            server.url(), KubernetesOptions.DEFAULT.withCallTimeout(Duration.ofMillis(100)))) {
      server.faults().addLatency(Duration.ofSeconds(2));

      assertThatThrownBy(() -> hasty.resource(V1ConfigMap.class).get(KEY))
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue());
    }
  }

  @Test
  void callOnAnEventLoop_isRefused() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Promise<Throwable> thrown = Promise.promise();
      vertx.runOnContext(ignored -> {
        try {
          k8s.resource(V1ConfigMap.class).get(KEY);
          thrown.complete(new AssertionError("was not refused"));
        } catch (IllegalStateException e) {
          thrown.complete(e);
        }
      });
      Throwable refusal =
          thrown.future().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(refusal).hasMessageContaining("event loop");
    } finally {
      Future<Void> closed = vertx.close();
      Await.until("the end of Vert.x", closed::isComplete);
    }
  }

  @Test
  void serverThatIsNotThere_isOneClearFailure() {
    try (Kubernetes nowhere = Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT)) {
      assertThatThrownBy(nowhere::serverVersion)
          .isInstanceOf(ApiStatusException.class)
          .hasMessageContaining("127.0.0.1:1");
    }
  }

  @Test
  void kubeconfig_leadsToTheServer(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("config"), server.kubeconfig());

    try (Kubernetes other = Kubernetes.fromKubeconfig(file, KubernetesOptions.DEFAULT)) {
      assertThat(other.serverVersion()).startsWith("v1.");
      assertThat(other.address()).isEqualTo(server.url());
    }
  }
}
