// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.fixture.TcpProxy;
import dev.coxswain.k8s.fixture.TlsFront;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.http.HttpVersion;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that die without a word, and TLS. */
@Order(1) // takes long
class ConnectionsTest extends CacheTestSupport {

  private static final KubernetesOptions IMPATIENT =
      KubernetesOptions.DEFAULT
          .withIdleTimeout(Duration.ofMillis(600))
          .withCallTimeout(Duration.ofMillis(300))
          .withListTimeout(Duration.ofSeconds(20));
  private static final String MAPS = "/api/v1/configmaps";

  private final RecordingListener listener = new RecordingListener();
  @TempDir Path folder;

  private int serverPort() {
    return URI.create(server.client().getBasePath()).getPort();
  }

  private ApiTransport plain(int port) {
    return new ApiTransport(new ApiClient().setBasePath("http://127.0.0.1:" + port), IMPATIENT);
  }

  private ApiTransport tls(TlsFront front, int port) {
    return new ApiTransport(
        new ApiClient().setBasePath("https://127.0.0.1:" + port).setSslCaCert(front.certificate()),
        IMPATIENT);
  }

  private void useCachesOf(ApiTransport transport) {
    caches.close();
    caches = new InformerRegistry(transport, FAST, Clock.system());
  }

  @Test
  void connectionThatDiesSilently_isReplaced_andNothingIsMissed_onHttp1() throws Exception {
    try (TcpProxy proxy = new TcpProxy(serverPort())) {
      useCachesOf(plain(proxy.port()));
      assertRecoversFrom(proxy);
    }
  }

  @Test
  void connectionThatDiesSilently_isReplaced_andNothingIsMissed_onHttp2WithTls() throws Exception {
    try (TlsFront front = new TlsFront(serverPort(), folder);
        TcpProxy proxy = new TcpProxy(front.port())) {
      useCachesOf(tls(front, proxy.port()));
      assertRecoversFrom(proxy);
      assertThat(front.versions()).containsExactly(HttpVersion.HTTP_2);
    }
  }

  private void assertRecoversFrom(TcpProxy proxy) {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);

    proxy.killSilently();
    server.put("a", "x", "2");

    Await.until(
        () -> listener.events() + " " + cache.status(),
        () -> listener.events().contains("UPDATED a/x=1>2 EVENT"));
    // Resumed where it was, not listed anew.
    assertThat(cache.status().lists()).isEqualTo(1);
  }

  @Test
  void deadHttp2Connection_costsACallItsTimeLimit_andLaterCallsGetANewOne() throws Exception {
    try (TlsFront front = new TlsFront(serverPort(), folder);
        TcpProxy proxy = new TcpProxy(front.port())) {
      ApiTransport transport = tls(front, proxy.port());
      Map<String, String> page = Map.of("limit", "10");
      Await.until("a first answer", () -> answers(transport, page));

      proxy.killSilently();

      assertThatThrownBy(() -> transport.get(MAPS, page))
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue());
      Await.until("an answer on a new connection", () -> answers(transport, page));
    }
  }

  private static boolean answers(ApiTransport transport, Map<String, String> query) {
    try {
      return transport.get(MAPS, query).has("items");
    } catch (ApiStatusException e) {
      return false;
    }
  }

  @Test
  void everyKindOfCall_hasATimeLimit() throws Exception {
    try (TcpProxy proxy = new TcpProxy(serverPort())) {
      ApiTransport transport =
          new ApiTransport(
              new ApiClient().setBasePath("http://127.0.0.1:" + proxy.port()),
              IMPATIENT.withListTimeout(Duration.ofMillis(300)));
      server.hang(true);

      assertNoAnswer(() -> transport.get(MAPS, Map.of()));
      for (String method : new String[] {"POST", "PUT", "PATCH", "DELETE"}) {
        assertNoAnswer(
            () -> transport.write(method, MAPS, Map.of(), new JsonObject(), ApiTransport.JSON));
      }
      assertNoAnswer(() -> transport.list(MAPS, Map.of(), ApiTransport.JSON, () -> {}, item -> {}));
      assertNoAnswer(() -> transport.watch(MAPS, Map.of(), ApiTransport.JSON));
    }
  }

  private static void assertNoAnswer(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue());
  }

  @Test
  void serverWhoseCertificateIsNotTrusted_isShownAsTheProblem() throws Exception {
    try (TlsFront front = new TlsFront(serverPort(), folder)) {
      useCachesOf(
          new ApiTransport(
              new ApiClient().setBasePath("https://127.0.0.1:" + front.port()), IMPATIENT));
      InformerHandle<V1ConfigMap> cache = caches.use(ALL);

      Await.until(
          () -> "a problem, but: " + cache.status(),
          () -> cache.status().problem().orElse("").contains("certification path"));
      assertThat(cache.isSynced()).isFalse();
    }
  }
}
