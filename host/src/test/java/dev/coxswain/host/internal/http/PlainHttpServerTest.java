// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.admin.KeyPairs;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.config.TlsFiles;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.http.internal.ConnectionRefusal;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainHttpServerTest {

  private static final Duration LONG = Duration.ofMinutes(10);
  private static final String LAST =
      "GET /here HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private final Vertx vertx = Vertx.vertx();
  private final List<ConnectionRefusal> refused = new CopyOnWriteArrayList<>();
  private final List<Socket> open = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    vertx.close().await();
  }

  private int start(ConnectionBounds bounds) {
    PlainHttpServer server =
        new PlainHttpServer(
            vertx,
            "test",
            new Listener("127.0.0.1", 0),
            Map.of("/here", request -> request.response().end("x".repeat(1000))),
            null,
            refused::add,
            bounds);
    server.start().await();
    return URI.create(server.url()).getPort();
  }

  private Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    open.add(socket);
    return socket;
  }

  private String send(int port, String text) throws IOException {
    Socket socket = connect(port);
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aRenewedCertificate_isUsedWithoutARestart_andABadOneIsNot(@TempDir Path folder)
      throws Exception {
    KeyPairs keys = KeyPairs.make(folder, "one", "two");
    TlsFiles files =
        new TlsFiles(folder.resolve("crt").toString(), folder.resolve("key").toString());
    write(files, keys.certificate("one"), keys.key("one"));
    PlainHttpServer server =
        new PlainHttpServer(
            vertx,
            "test",
            new Listener("127.0.0.1", 0),
            Map.of("/here", request -> request.response().end("seen")),
            files,
            refused::add);
    server.start().await();
    assertThat(server.url()).startsWith("https://");
    assertThat(shown(keys, server)).isEqualTo("CN=one");

    write(files, keys.certificate("two"), keys.key("one"));
    server.look().await();
    assertThat(shown(keys, server)).isEqualTo("CN=one");
    assertThat(server.checks())
        .singleElement()
        .satisfies(check -> assertThat(check.problem()).contains("test.tls", "does not belong"));

    write(files, keys.certificate("two"), keys.key("two"));
    server.look().await();
    assertThat(shown(keys, server)).isEqualTo("CN=two");
    assertThat(server.checks()).isEmpty();
  }

  private static void write(TlsFiles files, String certificate, String key) throws IOException {
    Files.writeString(Path.of(files.certificate()), certificate);
    Files.writeString(Path.of(files.key()), key);
  }

  private static String shown(KeyPairs keys, PlainHttpServer server) throws Exception {
    try (HttpClient http = keys.client()) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create(server.url() + "/here")).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.body()).isEqualTo("seen");
      return response.sslSession().orElseThrow().getPeerPrincipal().getName();
    }
  }

  @Test
  void idleConnections_giveWayToNewOnes_andAreCounted() throws Exception {
    int port = start(new ConnectionBounds(4, 4, 4, LONG, LONG));
    for (int i = 0; i < 40; i++) {
      connect(port);
    }
    assertThat(send(port, LAST)).startsWith("HTTP/1.1 200 ");
    assertThat(refused).contains(ConnectionRefusal.ADDRESS);
  }

  /** Answers that are not read would pile up in memory. */
  @Test
  void aClientThatSendsAndDoesNotRead_isCutOff() throws Exception {
    int port = start(new ConnectionBounds(4, 4, 4, LONG, Duration.ofMillis(300)));
    byte[] requests =
        "GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n"
            .repeat(1_000)
            .getBytes(StandardCharsets.US_ASCII);
    Socket socket = connect(port);
    boolean cut = false;
    for (int i = 0; i < 5_000 && !cut; i++) {
      try {
        socket.getOutputStream().write(requests);
      } catch (IOException e) {
        cut = true;
      }
    }
    assertThat(cut).isTrue();
  }

  @Test
  void aSilentConnection_isClosed_andCounted() throws Exception {
    int port = start(new ConnectionBounds(4, 4, 4, Duration.ofMillis(100), LONG));
    assertThat(send(port, "GET /here")).isEmpty();
    assertThat(refused).containsExactly(ConnectionRefusal.SLOW);
  }

  @Test
  void aRequestWithABody_isCutOff() throws Exception {
    int port = start(new ConnectionBounds(4, 4, 4, LONG, LONG));
    assertThat(send(port, LAST.replace("Host", "Content-Length: 5\r\nHost"))).isEmpty();
    assertThat(send(port, LAST.replace("Host", "Content-Length: 0\r\nHost")))
        .startsWith("HTTP/1.1 200 ");
  }
}
