// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

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

  @Test
  void tooManyConnections_areClosedAtOnce() throws Exception {
    try (Api small = new Api(options -> options.withMaxConnections(1));
        Socket first = new Socket(InetAddress.getLoopbackAddress(), small.port)) {
      first.setSoTimeout(60_000);
      first
          .getOutputStream()
          .write(
              "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(first.getInputStream().read()).isEqualTo('H');
      try (Socket second = new Socket(InetAddress.getLoopbackAddress(), small.port)) {
        second.setSoTimeout(60_000);
        assertThat(second.getInputStream().read()).isEqualTo(-1);
      }
    }
  }
}
