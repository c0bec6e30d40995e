// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.coxswain.reconcile.RetryAfterException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VendorClientTest {

  private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

  private final List<String> requested = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  VendorClientTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requested.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          boolean limited = exchange.getRequestURI().getPath().endsWith("limited");
          if (limited) {
            exchange.getResponseHeaders().set("Retry-After", "Wed, 01 Jan 2020 00:00:00 GMT");
          }
          exchange.sendResponseHeaders(limited ? 429 : 200, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private VendorClient client(String path) {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    return new VendorClient(() -> uri);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/vendor/v2", "/vendor/v2/"})
  void aPathOfTheAddress_isPartOfEachRequest(String path) throws Exception {
    client(path).bring("web.0", "v1");
    client(path).remove("web.0");
    assertThat(requested)
        .containsExactly("PUT /vendor/v2/machines/web.0", "DELETE /vendor/v2/machines/web.0");
  }

  @Test
  void withoutAPath_requestsBeginAtTheRoot() throws Exception {
    client("").bring("web.0", "v1");
    assertThat(requested).containsExactly("PUT /machines/web.0");
  }

  @Test
  void aDateThatHasPassed_allowsARetryAtOnce() {
    assertThatThrownBy(() -> client("").bring("limited", "v1"))
        .isInstanceOfSatisfying(
            RetryAfterException.class, e -> assertThat(e.delay()).isEqualTo(Duration.ZERO));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0                             | PT0S",
        "120                           | PT2M",
        "Thu, 26 Nov 2026 12:00:30 GMT | PT30S",
        "Thu, 26 Nov 2026 11:59:59 GMT | PT0S"
      })
  void retryAfter_hasSecondsOrADate(String value, Duration delay) {
    assertThat(VendorClient.delay(value, NOW)).contains(delay);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "soon", "1.5", "99999999999999999999", "2026-11-26T12:00:30Z"})
  void aRetryAfterThatIsNeither_isLeftToTheBackoff(String value) {
    assertThat(VendorClient.delay(value, NOW)).isEmpty();
  }
}
