// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.metrics.HostMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client without credentials can make of the three ports of a host. */
class FrontDoorsTest {

  private static final int MANY = 6_000;

  /** Bytes; beyond every limit, and within what a socket takes at once, whatever the server does. */
  private static final int TOO_LONG = 12_000;

  private final HostMetrics metrics = new HostMetrics("test");
  private Host host;

  @BeforeEach
  void start() throws Exception {
    host = HostSetup.create(metrics, List.of());
    host.start().await();
  }

  @AfterEach
  void stop() {
    host.stop().await();
  }

  private List<Integer> ports() {
    ReplicaReport report = host.report();
    return List.of(port(report.admin()), port(report.metrics()), port(report.health()));
  }

  private static int port(String url) {
    return URI.create(url).getPort();
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static String send(int port, String text) throws IOException {
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String request(String method) {
    return method + " / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  private List<String> methods() {
    return metrics
        .scrape(null)
        .text()
        .lines()
        .filter(line -> line.startsWith("vertx_http_server_requests_total"))
        .map(line -> line.replaceAll(".*method=\"([^\"]*)\".*", "$1"))
        .distinct()
        .sorted()
        .toList();
  }

  /** Each made-up method was a row of its own, before any authentication. */
  @Test
  void madeUpMethods_areOneValueOfTheLabel_onEveryPort() throws IOException {
    for (int port : ports()) {
      send(port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      int before = metrics.registry().getMeters().size();
      for (int from = 0; from < MANY; from += 50) {
        StringBuilder pipelined = new StringBuilder();
        for (int i = from; i < from + 49; i++) {
          pipelined.append(request("MADEUP" + i));
        }
        pipelined.append("LAST" + from + " / HTTP/1.1\r\nHost: localhost\r\n");
        send(port, pipelined.append("Connection: close\r\n\r\n").toString());
      }
      assertThat(metrics.registry().getMeters().size()).isLessThan(before + 20);
    }
    assertThat(methods()).contains("GET", "other").hasSizeLessThan(4);
  }

  @Test
  void aHeadThatDripsIn_isCutOff_onEveryPort() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      for (int port : ports()) {
        Socket socket = connect(port);
        open.add(socket);
        socket.setSoTimeout(50);
        socket.getOutputStream().write("GET /".getBytes(StandardCharsets.US_ASCII));
      }
      for (Socket socket : open) {
        assertThat(endsWhileDripping(socket)).isTrue();
      }
    } finally {
      close(open);
    }
  }

  private static void close(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** Sends a byte now and then until the other side closes; false when it never does. */
  private static boolean endsWhileDripping(Socket socket) throws IOException {
    for (int i = 0; i < 1200; i++) {
      try {
        socket.getOutputStream().write('x');
        if (socket.getInputStream().read() < 0) {
          return true;
        }
      } catch (java.net.SocketTimeoutException e) {
        assertThat(e).isNotNull(); // nothing yet
      } catch (IOException e) {
        return true; // reset by the server
      }
    }
    return false;
  }

  @Test
  void longLinesAndHeaders_areRefused_onEveryPort() throws IOException {
    for (int port : ports()) {
      String line = "GET /" + "x".repeat(TOO_LONG) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      assertThat(statusLine(port, line)).containsPattern("^HTTP/1.[01] 414 ");
      String header =
          "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(TOO_LONG) + "\r\n\r\n";
      assertThat(statusLine(port, header)).containsPattern("^HTTP/1.[01] 431 ");
    }
  }

  /**
   * The first line of the answer. The server answers before it has read the request and closes, so
   * the connection may be reset behind the answer.
   */
  private static String statusLine(int port, String text) throws IOException {
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      StringBuilder line = new StringBuilder();
      InputStream in = socket.getInputStream();
      for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
        line.append((char) c);
      }
      return line.toString();
    }
  }
}
