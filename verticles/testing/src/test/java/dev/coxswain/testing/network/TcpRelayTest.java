// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TcpRelayTest {
  private static final int SHORT_MILLIS = 200;
  private static final int LONG_MILLIS = 10_000;

  private ServerSocket server;
  private TcpRelay relay;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    relay = TcpRelay.start("127.0.0.1", URI.create("http://127.0.0.1:" + server.getLocalPort()));
  }

  @AfterEach
  void stop() throws IOException {
    relay.close();
    server.close();
  }

  private Socket connect() throws IOException {
    Socket client = new Socket(relay.uri().getHost(), relay.uri().getPort());
    client.setSoTimeout(LONG_MILLIS);
    return client;
  }

  @Test
  void bytes_goThroughInBothDirections_andSoDoesTheEnd() throws IOException {
    assertWorks();
  }

  private void assertWorks() throws IOException {
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      client.getOutputStream().write(7);
      assertThat(accepted.getInputStream().read()).isEqualTo(7);
      accepted.getOutputStream().write(8);
      assertThat(client.getInputStream().read()).isEqualTo(8);
      accepted.close();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void heldBytes_arriveWhenItIsOpenAgain() throws IOException {
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      relay.mode(TcpRelay.Mode.HELD);
      client.getOutputStream().write(7);
      accepted.setSoTimeout(SHORT_MILLIS);
      assertThatThrownBy(() -> accepted.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      relay.mode(TcpRelay.Mode.OPEN);
      accepted.setSoTimeout(LONG_MILLIS);
      assertThat(accepted.getInputStream().read()).isEqualTo(7);
    }
  }

  @Test
  void heldBytes_ofAConnectionThatWasReset_neverArrive() throws IOException {
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      relay.mode(TcpRelay.Mode.HELD);
      client.getOutputStream().write(7);
      client.setSoLinger(true, 0);
      client.close();
      relay.mode(TcpRelay.Mode.OPEN);
      assertEnded(accepted);
    }
  }

  @Test
  void aDelay_holdsEachByteForThatTime_andDoesNotAddUp() throws IOException {
    relay.delay(Duration.ofMillis(SHORT_MILLIS));
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      long from = System.nanoTime();
      for (int i = 0; i < 50; i++) {
        client.getOutputStream().write(i);
      }
      for (int i = 0; i < 50; i++) {
        assertThat(accepted.getInputStream().read()).isEqualTo(i);
      }
      Duration took = Duration.ofNanos(System.nanoTime() - from);
      assertThat(took)
          .isBetween(Duration.ofMillis(SHORT_MILLIS), Duration.ofMillis(25 * SHORT_MILLIS));
    }
  }

  @Test
  void aCut_endsConnections_andRejectsNewOnes_untilItIsOpenAgain() throws IOException {
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      client.getOutputStream().write(7);
      assertThat(accepted.getInputStream().read()).isEqualTo(7);
      relay.mode(TcpRelay.Mode.CUT);
      assertEnded(client);
      assertEnded(accepted);
    }
    try (Socket rejected = connect()) {
      assertEnded(rejected);
    }
    relay.mode(TcpRelay.Mode.OPEN);
    assertWorks();
  }

  private static void assertEnded(Socket socket) {
    int read;
    try {
      read = socket.getInputStream().read();
    } catch (IOException _) {
      read = -1; // reset
    }
    assertThat(read).isEqualTo(-1);
  }
}
