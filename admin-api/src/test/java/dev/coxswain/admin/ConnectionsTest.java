// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.AdminTelemetry;
import dev.coxswain.admin.spi.AuditSink;
import dev.coxswain.http.internal.ConnectionRefusal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

@Order(1) // takes long
class ConnectionsTest {

  private static final String GET = "GET /api/v1/limiters HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Sends a byte now and then until the other side closes; false when it never does. */
  private static boolean isClosedWhileDripping(Socket socket) throws IOException {
    socket.setSoTimeout(1);
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (System.nanoTime() - end < 0) {
      try {
        socket.getOutputStream().write('x');
        if (socket.getInputStream().read() < 0) {
          return true;
        }
      } catch (java.net.SocketTimeoutException e) {
        LockSupport.parkNanos(5_000_000); // nothing yet
      } catch (IOException e) {
        return true; // reset by the server
      }
    }
    return false;
  }

  @Test
  void aHeadThatDripsIn_isCutOff_onANewConnection() throws Exception {
    try (Api api = new Api(options -> options.withRequestTimeout(Duration.ofMillis(300)));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port)) {
      socket.getOutputStream().write(ascii("GET /"));
      assertThat(isClosedWhileDripping(socket)).isTrue();
    }
  }

  @Test
  void aHeadThatDripsIn_isCutOff_afterAnAnswer() throws Exception {
    try (Api api =
            new Api(options ->
                options
                    .withRequestTimeout(Duration.ofSeconds(3))
                    .withIdleTimeout(Duration.ofMinutes(2)));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(ascii(GET));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      socket.getOutputStream().write(ascii("GET /"));
      assertThat(isClosedWhileDripping(socket)).isTrue();
    }
  }

  @Test
  void aConnection_servesManyRequests() throws Exception {
    try (Api api = new Api();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port)) {
      socket.setSoTimeout(60_000);
      String last = GET.replace("Host:", "Connection: close\r\nHost:");
      socket.getOutputStream().write(ascii(GET.repeat(9) + last)); // pipelined
      String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answers.split("HTTP/1.1 200 ", -1)).hasSize(11);
    }
  }

  @Test
  void aSilentConnection_isClosed() throws Exception {
    try (Api quick = new Api(options -> options.withIdleTimeout(Duration.ofMillis(200)));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), quick.port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write("GET /api".getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
  }

  private static void close(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static String answer(int port, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(ascii(request));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** 512 idle connections without a token locked everybody out. */
  @Test
  void idleConnectionsWithoutAToken_lockNobodyOut_andAreCounted() throws Exception {
    Reviewers reviewers = new Reviewers();
    List<ConnectionRefusal> refused = new CopyOnWriteArrayList<>();
    AdminTelemetry telemetry =
        new AdminTelemetry() {
          @Override
          public void connectionRefused(ConnectionRefusal why) {
            refused.add(why);
          }
        };
    List<Socket> idle = new ArrayList<>();
    try (Api api =
        new Api(
            "coxswain-0",
            reviewers.control(ReviewLimits.DEFAULT),
            reviewers,
            options -> options.withRequestTimeout(Duration.ofMinutes(5)),
            new AdminPorts(AuditSink.logger(), telemetry),
            Intervals.DEFAULT)) {
      String request =
          "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good-a\r\n";
      Socket known = new Socket(InetAddress.getLoopbackAddress(), api.port);
      known.setSoTimeout(60_000);
      idle.add(known);
      known.getOutputStream().write(ascii(request + "\r\n"));
      byte[] buffer = new byte[8192];
      assertThat(new String(buffer, 0, known.getInputStream().read(buffer), UTF_8)).contains("200");
      for (int i = 0; i < 700; i++) {
        idle.add(new Socket(InetAddress.getLoopbackAddress(), api.port));
      }
      assertThat(answer(api.port, request + "Connection: close\r\n\r\n")).contains(" 200 ");
      known.getOutputStream().write(ascii(request + "Connection: close\r\n\r\n"));
      assertThat(new String(known.getInputStream().readAllBytes(), UTF_8)).contains(" 200 ");
      assertThat(refused).hasSizeGreaterThan(600).containsOnly(ConnectionRefusal.ADDRESS);
    } finally {
      close(idle);
    }
  }

  @Test
  void aFullServer_closesTheConnectionThatHasWaitedLongest() throws Exception {
    try (Api small = new Api(options -> options.withMaxConnections(1));
        Socket first = new Socket(InetAddress.getLoopbackAddress(), small.port)) {
      first.setSoTimeout(60_000);
      first.getOutputStream().write(ascii("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      assertThat(first.getInputStream().read()).isEqualTo('H');
      assertThat(answer(small.port, GET.replace("Host:", "Connection: close\r\nHost:")))
          .contains(" 200 ");
      first.getInputStream().readAllBytes(); // ends: the server has closed it
    }
  }

  /** A refused request keeps no connection: only an accepted one ends the first deadline. */
  @Test
  void aConnectionThatOnlySendsRefusedTokens_isClosedAtItsDeadline() throws Exception {
    Reviewers reviewers = new Reviewers();
    try (Api api =
            new Api(
                reviewers.control(ReviewLimits.DEFAULT),
                reviewers,
                options -> options.withRequestTimeout(Duration.ofSeconds(3)));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(ascii(GET));
      String all = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(all).startsWith("HTTP/1.1 401 ");
    }
  }
}
