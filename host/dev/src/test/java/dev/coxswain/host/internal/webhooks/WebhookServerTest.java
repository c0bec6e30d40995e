// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.webhook.AdmissionResponse;
import dev.coxswain.k8s.webhook.ServedWebhook;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The server of webhooks refuses what it does not expect, and is bounded against anybody. */
class WebhookServerTest {

  private static final int MEMORY = 1_000_000;
  private static final int CONNECTIONS = 8;
  private static final String REVIEW =
      """
      {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",
       "operation":"CREATE","namespace":"a","name":"b","object":{"metadata":{"name":"b"}}}}
      """;

  private final Vertx vertx = Vertx.vertx();
  private final CountDownLatch called = new CountDownLatch(1);
  private final CountDownLatch decided = new CountDownLatch(1);
  private final Webhooks webhooks =
      new Webhooks("guard")
          .validating(
              V1ConfigMap.class,
              request -> {
                if (request.key().name().equals("slow")) {
                  called.countDown();
                  decided.await();
                }
                return AdmissionResponse.allowed();
              });
  private final ServedWebhook webhook = webhooks.admission().getFirst();
  private final HostMetrics metrics = new HostMetrics("test");
  private final WebhookDirectory directory = new WebhookDirectory(metrics);
  private final WebhookServer server =
      new WebhookServer(
          vertx,
          new Listener("127.0.0.1", 0),
          directory,
          new CallbackPaths(
              directory,
              Future::succeededFuture,
              () -> 0,
              () -> new CallbackPaths.Peers("", Optional.empty())),
          metrics,
          new ConnectionBounds(
              CONNECTIONS, CONNECTIONS, CONNECTIONS, Duration.ofHours(1), Duration.ofHours(1)),
          MEMORY,
          Duration.ofSeconds(5));
  private final HttpClient client =
      vertx.createHttpClient(
          new HttpClientOptions().setSsl(true).setTrustAll(true).setVerifyHost(false));

  @BeforeEach
  void start() throws Exception {
    directory.replace("", Map.of("guard", webhooks), false);
    try (EmbeddedApiServer api =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Kubernetes kubernetes = Kubernetes.at(api.url(), KubernetesOptions.DEFAULT)) {
      WebhookCertificate made =
          new CertificateStore(
                  kubernetes.resource(V1Secret.class),
                  Request.of("default", "hooks"),
                  List.of("127.0.0.1"),
                  Clock.system())
              .load();
      server.serve(made.served()).await(1, TimeUnit.MINUTES);
    }
  }

  @AfterEach
  void stop() throws Exception {
    decided.countDown();
    client.close().await(1, TimeUnit.MINUTES);
    server.stop().await(1, TimeUnit.MINUTES);
    vertx.close().await(1, TimeUnit.MINUTES);
  }

  private HttpClientRequest request(HttpMethod method, String path) throws Exception {
    return client.request(method, server.port(), "127.0.0.1", path).await(1, TimeUnit.MINUTES);
  }

  private int post(String body) throws Exception {
    return request(HttpMethod.POST, webhook.path())
        .send(body)
        .map(HttpClientResponse::statusCode)
        .await(1, TimeUnit.MINUTES);
  }

  @Test
  void aReview_isAnswered_andOtherRequestsAreRefused() throws Exception {
    assertThat(post(REVIEW)).isEqualTo(200);
    assertThat(post("[]")).isEqualTo(400);
    assertThat(post("{\"a\":")).isEqualTo(400);
    assertThat(post("{}")).isEqualTo(400);
    assertThat(
            request(HttpMethod.GET, webhook.path()).send().await(1, TimeUnit.MINUTES).statusCode())
        .isEqualTo(405);
    assertThat(request(HttpMethod.POST, "/x").send().await(1, TimeUnit.MINUTES).statusCode())
        .isEqualTo(404);
  }

  @Test
  void aBodyThatIsLargerThanTheMemory_orWhoseValuesAre_isRefused_andLaterCallsAreAnswered()
      throws Exception {
    assertThat(post("{\"a\":[" + "0,".repeat(20_000) + "0]}")).as("values").isEqualTo(413);
    assertThat(post("{\"a\":\"" + ",".repeat(20_000) + "\"}")).as("one text").isEqualTo(400);
    assertThat(post("{\"a\":\"" + "x".repeat(MEMORY) + "\"}")).as("bytes").isEqualTo(413);
    assertThat(post(REVIEW)).isEqualTo(200);
  }

  @Test
  void whileACallTakesMostOfTheMemory_anotherLargeOneGets503() throws Exception {
    String filler = "\"filler\":\"" + "x".repeat(MEMORY / 2) + "\"";
    String slow =
        REVIEW.replace("\"name\":\"b\",\"object\"", "\"name\":\"slow\"," + filler + ",\"object\"");
    var first = request(HttpMethod.POST, webhook.path()).send(slow);
    assertThat(called.await(1, TimeUnit.MINUTES)).isTrue();

    assertThat(post("{" + filler + "}")).isEqualTo(503);
    assertThat(post(REVIEW)).as("a small one").isEqualTo(200);
    decided.countDown();
    assertThat(first.await(1, TimeUnit.MINUTES).statusCode()).isEqualTo(200);
    assertThat(post("{" + filler + "}")).as("no review, but there is room").isEqualTo(400);
  }

  @Test
  void connectionsThatSendNothing_areBounded() throws Exception {
    NetClient sockets =
        vertx.createNetClient(
            new NetClientOptions()
                .setSsl(true)
                .setTrustAll(true)
                .setHostnameVerificationAlgorithm(""));
    for (int i = 0; i <= CONNECTIONS; i++) {
      sockets.connect(server.port(), "127.0.0.1").await(1, TimeUnit.MINUTES);
    }

    Counter refused =
        metrics
            .registry()
            .get("coxswain_http_connections_refused_total")
            .tags("reason", "address")
            .counter();
    WebhookHostTest.await(() -> refused.count() == 1);
    assertThat(post(REVIEW)).as("another connection in place of an idle one").isEqualTo(200);
  }

  @Test
  void aBodyThatDoesNotEnd_isCutOff() throws Exception {
    HttpClientRequest slow = request(HttpMethod.POST, webhook.path());
    slow.putHeader("Content-Length", "1000");
    slow.write(Buffer.buffer("{")).await(1, TimeUnit.MINUTES);

    assertThat(slow.response().await(1, TimeUnit.MINUTES).statusCode()).isEqualTo(408);
  }
}
