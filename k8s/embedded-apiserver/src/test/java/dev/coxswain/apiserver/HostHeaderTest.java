// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Host header of requests, over raw sockets: what a page under a foreign name would send. */
final class HostHeaderTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedApiServer server;

  @BeforeAll
  static void start() {
    server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withFaultEndpoint(true));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String raw(EmbeddedApiServer to, String host, String request) throws IOException {
    try (Socket socket = new Socket(host, to.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
  }

  private static String raw(String request) throws IOException {
    return raw(server, "127.0.0.1", request);
  }

  private static String get(String path, String headers) throws IOException {
    return raw("GET " + path + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:1",
        "127.0.0.1",
        "127.0.0.1:8080",
        "127.3.2.1:80",
        "[::1]",
        "[::1]:6443",
      })
  void loopbackHost_isServed(String host) throws IOException {
    assertThat(status(get(MAPS, "Host: " + host + "\r\n"))).isEqualTo(200);
    assertThat(status(get("/coxswain/faults", "Host: " + host + "\r\n"))).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "attacker.example," + MAPS,
    "attacker.example:8080,/coxswain/faults",
    "attacker.example,/version",
    "attacker.example," + MAPS + "?watch=true",
    "127.0.0.1.attacker.example," + MAPS,
    "localhost.attacker.example," + MAPS,
    "localhost:80:80," + MAPS,
    "192.168.1.1," + MAPS,
    "0.0.0.0," + MAPS,
    "[::]," + MAPS,
    "[::1," + MAPS,
    "user@localhost," + MAPS,
  })
  void foreignHost_isMisdirected(String host, String path) throws IOException {
    String answer = get(path, "Host: " + host + "\r\n");
    assertThat(status(answer)).isIn(400, 421);
    if (!host.contains("@") && !host.equals("[::1")) {
      assertThat(status(answer)).isEqualTo(421);
      assertThat(answer).contains("\"kind\":\"Status\"", "must be a loopback address");
    }
  }

  @Test
  void foreignHost_changesNothing() throws IOException {
    String body = "{\"kind\":\"fail\",\"status\":500,\"duration\":\"1h\"}";
    String post =
        "POST /coxswain/faults HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n"
            + ("Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n")
            + body;
    assertThat(status(raw(post))).isEqualTo(421);
    assertThat(get("/coxswain/faults", "Host: localhost\r\n")).contains("\"faults\":[]");
  }

  @Test
  void foreignHost_cannotUpgrade() throws IOException {
    String websocket =
        String.join(
            "\r\n",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "");
    String answer = get(MAPS + "?watch=true", "Host: attacker.example\r\n" + websocket);
    assertThat(status(answer)).isEqualTo(421);
  }

  @Test
  void requestWithoutOneHost_isRefused() throws IOException {
    assertThat(status(get(MAPS, ""))).isEqualTo(400);
    assertThat(status(get(MAPS, "Host: localhost\r\nHost: localhost\r\n"))).isEqualTo(400);
    assertThat(status(raw("GET " + MAPS + " HTTP/1.0\r\n\r\n"))).isEqualTo(421);
  }

  @Test
  void serverOnAnotherLoopbackAddress_isServedByIt() throws IOException {
    try (EmbeddedApiServer other =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withHost("127.0.0.7"));
        Http http = new Http("http://127.0.0.7:" + other.port())) {
      assertThat(http.get(MAPS).status()).isEqualTo(200);
      String foreign = "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
      assertThat(status(raw(other, "127.0.0.7", foreign))).isEqualTo(421);
    }
  }

  @Test
  void serverOnAllAddresses_acceptsAddressesButNoNames_unlessItHasTokens() throws IOException {
    String named = "GET " + MAPS + " HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
    String literal = named.replace("a.example", "10.1.2.3:6443");
    EmbeddedApiServerOptions options = EmbeddedApiServerOptions.defaults().withHost("0.0.0.0");
    try (EmbeddedApiServer open = EmbeddedApiServer.startBlocking(options)) {
      assertThat(status(raw(open, "127.0.0.1", literal))).isEqualTo(200);
      assertThat(status(raw(open, "127.0.0.1", named))).isEqualTo(421);
    }
    EmbeddedApiServerOptions.Token token =
        new EmbeddedApiServerOptions.Token("t", "u", List.of("system:masters"));
    try (EmbeddedApiServer closed =
        EmbeddedApiServer.startBlocking(options.withTokens(List.of(token)))) {
      assertThat(status(raw(closed, "127.0.0.1", named))).isEqualTo(403);
    }
  }
}
