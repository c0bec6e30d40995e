// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Bodies without an end: a request fails as soon as it has received more than it keeps. The server
 * sends a little more than that and nothing afterwards, so a request that waits for more waits for
 * an hour.
 */
@Timeout(60)
class EndlessBodyTest {

  private static final String PATH = "/api/v1/namespaces/a/configmaps";
  private static final int MIB = 1024 * 1024;
  private static final Duration HOUR = Duration.ofHours(1);

  private final CountDownLatch ended = new CountDownLatch(1);
  private HttpServer server;
  private ApiTransport transport;
  private volatile int status = 200;
  private volatile int longest = ReceivedObject.LONGEST;
  private volatile String start = "";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::send);
    server.start();
    transport =
        new ApiTransport(
            new ApiClient().setBasePath("http://127.0.0.1:" + server.getAddress().getPort()),
            KubernetesOptions.DEFAULT
                .withCallTimeout(HOUR)
                .withListTimeout(HOUR)
                .withIdleTimeout(HOUR));
  }

  @AfterEach
  void stop() {
    ended.countDown();
    server.stop(0);
  }

  private void send(HttpExchange exchange) throws IOException {
    byte[] more = new byte[longest + MIB];
    Arrays.fill(more, (byte) 'x');
    exchange.sendResponseHeaders(status, 0);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(start.getBytes(StandardCharsets.UTF_8));
      body.write(more);
      body.flush();
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void object() {
    start = "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"";
    assertThatThrownBy(() -> transport.get(PATH + "/a", Map.of()))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue())
        .hasMessageContaining("the response is longer than 33554432 bytes");
  }

  @Test
  void objectOfAList() {
    start = "{\"kind\":\"ConfigMapList\",\"items\":[{\"data\":{\"a\":\"";
    assertThatThrownBy(() -> transport.page(PATH, Map.of(), _ -> {}))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isNoAnswer()).isTrue())
        .hasMessageContaining("an object of the list is longer than 32 MiB");
  }

  @Test
  void eventOfAWatch() {
    start = "{\"type\":\"ADDED\",\"object\":{\"data\":{\"a\":\"";
    try (WatchStream watch = transport.watch(PATH, Map.of(), ApiTransport.JSON)) {
      assertThatThrownBy(watch::next)
          .isInstanceOf(ProtocolException.class)
          .hasMessage("the watch sent an event of more than 32 MiB");
    }
  }

  @Test
  void failure() {
    status = 503;
    longest = MIB;
    start = "{\"kind\":\"Status\",\"message\":\"";
    assertThatThrownBy(() -> transport.get(PATH + "/a", Map.of()))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(503))
        .hasMessageContaining("no readable status");
  }
}
