// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Faults of connections are those that a client sees of a machine or a network that fails. */
final class ConnectionFaultsTest extends FaultSupport {

  @Test
  void refuseConnections_closed_refusesAndComesBackOnTheSamePort() throws Exception {
    try (Http.Watch watch = watchMaps()) {
      int port = server.port();
      faults.inject(Fault.refuseConnections(Effect.RefuseMode.CLOSED));
      Http.await("connections are refused", () -> connect(port) == Connect.REFUSED);
      assertThat(watch.ends()).as("open connections are cut").isTrue();
      faults.reset();
      Http.await("connections are taken again", () -> connect(port) == Connect.ACCEPTED);
      assertThat(server.port()).isEqualTo(port);
    }
  }

  private enum Connect {
    ACCEPTED,
    REFUSED,
    /** The connection was still in the queue of a listener that has closed since. */
    RESET
  }

  private static Connect connect(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return Connect.ACCEPTED;
    } catch (ConnectException e) {
      return Connect.REFUSED;
    } catch (SocketException e) {
      return Connect.RESET;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void refuseConnections_reset_resetsSoManyNewOnesAndKeepsOpenOnes() throws Exception {
    try (Http.Watch watch = watchMaps()) {
      faults.inject(Fault.refuseConnections(Effect.RefuseMode.RESET).times(2));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> raw("GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            .isInstanceOf(SocketException.class)
            .hasMessageContaining("reset");
      }
      assertThat(raw("GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 200");
      http.configMap("a", "");
      assertThat(name(watch.next())).isEqualTo("a");
    }
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void cutConnections_resetsEveryOpenConnection() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write(
              ("GET " + MAPS + "?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      Http.await("watch is open", () -> faults.openWatches() == 1);
      assertThat(faults.inject(Fault.cutConnections()).applied()).isEqualTo(1);
      InputStream in = socket.getInputStream();
      assertThatThrownBy(in::readAllBytes)
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
      Http.await("watch is gone", () -> faults.openWatches() == 0);
      assertThat(faults.openConnections()).isZero();
    }
  }

  @Test
  void pause_answersNothingAndKeepsConnections_thenAnswersWhatWasAsked() throws Exception {
    try (Http.Watch watch = watchMaps()) {
      ActiveFault fault = faults.inject(Fault.pause());
      CompletableFuture<Integer> response =
          CompletableFuture.supplyAsync(() -> http.get(MAPS).status());
      CompletableFuture<Integer> created =
          CompletableFuture.supplyAsync(() -> http.configMap("a", "").status());
      server.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n");
      assertThat(watch.next(SILENCE)).isNull();
      assertThat(response).isNotDone();
      assertThat(created).isNotDone();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        assertThat(socket.isConnected()).isTrue();
      }
      faults.clear(fault.id());
      assertThat(response.get(60, TimeUnit.SECONDS)).isEqualTo(200);
      assertThat(created.get(60, TimeUnit.SECONDS)).isEqualTo(201);
      assertThat(List.of(name(watch.next()), name(watch.next())))
          .containsExactlyInAnyOrder("a", "b");
    }
  }
}
