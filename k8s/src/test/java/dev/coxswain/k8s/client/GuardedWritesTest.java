// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.reconcile.LostOwnershipException;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A guarded write that was given up does not reach the server later. */
class GuardedWritesTest {

  private static final String PATH = "/api/v1/namespaces/a/configmaps";

  private ServerSocket server;
  private ApiTransport transport;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket();
    server.setReceiveBufferSize(4096);
    server.setSoTimeout((int) Duration.ofSeconds(30).toMillis());
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    transport =
        new ApiTransport(
            new ApiClient().setBasePath("http://127.0.0.1:" + server.getLocalPort()),
            KubernetesOptions.DEFAULT);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private static void write(ApiTransport through, int bytes) {
    JsonObject body = new JsonObject();
    body.addProperty("text", "x".repeat(bytes));
    through.write("POST", PATH, Map.of(), body, ApiTransport.JSON);
  }

  /** They used to be delivered when the network healed, after another replica had taken over. */
  @Test
  void bytesThatTheServerHasNotTaken_areDiscarded_whenTheTimeIsUp() throws IOException {
    ApiTransport limited = transport.guardedBy(() -> Duration.ofMillis(600));
    assertThatThrownBy(() -> write(limited, 1 << 20)).isInstanceOf(ApiStatusException.class);

    try (Socket taken = server.accept()) {
      taken.setSoTimeout((int) Duration.ofSeconds(30).toMillis());
      InputStream in = taken.getInputStream();
      assertThatThrownBy(() -> in.readAllBytes())
          .as("a reset, not the end of what was sent")
          .isInstanceOf(SocketException.class)
          .isNotInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void guardThatClosesWhileTheConnectionIsMade_stopsTheBytes() throws IOException {
    AtomicInteger checks = new AtomicInteger();
    ApiTransport closing =
        transport.guardedBy(
            () -> checks.incrementAndGet() == 1 ? WriteGuard.UNLIMITED : Duration.ZERO);

    assertThatThrownBy(() -> write(closing, 1))
        .isInstanceOf(LostOwnershipException.class)
        .hasMessageContaining("POST " + PATH + " was not sent");

    assertThat(checks).as("before the call, and before the bytes").hasValue(2);
    try (Socket taken = server.accept()) {
      taken.setSoTimeout((int) Duration.ofSeconds(30).toMillis());
      assertThat(received(taken)).isZero();
    }
  }

  @Test
  void lessThanHalfASecond_isNotEnoughToBegin() {
    ApiTransport late = transport.guardedBy(() -> WriteGuard.LEAST.minusNanos(1));

    assertThatThrownBy(() -> write(late, 1)).isInstanceOf(LostOwnershipException.class);
  }

  private static int received(Socket socket) throws IOException {
    try {
      return socket.getInputStream().readAllBytes().length;
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (SocketException e) {
      return 0; // reset before the first byte
    }
  }

  /** A write without an answer may take effect later, so the owner of a slot counts it. */
  @Test
  void theGuard_receivesWhetherAWriteWasAnswered() throws Exception {
    List<Boolean> ends = new CopyOnWriteArrayList<>();
    ApiTransport counted =
        transport.guardedBy(
            new WriteGuard() {
              @Override
              public Duration timeLeft() {
                return Duration.ofSeconds(20);
              }

              @Override
              public Consumer<Boolean> sending() {
                return ends::add;
              }
            });
    for (String response :
        List.of("HTTP/1.1 409 Conflict\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "")) {
      Thread responder = Thread.ofVirtual().start(() -> respond(response));
      assertThatThrownBy(() -> write(counted, 1)).isInstanceOf(ApiStatusException.class);
      responder.join();
    }
    assertThat(ends).containsExactly(true, false);
  }

  private void respond(String response) {
    try (Socket taken = server.accept()) {
      assertThat(taken.getInputStream().read()).isEqualTo('P');
      taken.getOutputStream().write(response.getBytes(StandardCharsets.US_ASCII));
      taken.getOutputStream().flush();
      taken.shutdownOutput();
      assertThat(taken.getInputStream().readAllBytes()).isNotEmpty();
    } catch (SocketException e) {
      // The client has closed its connection, with bytes that it had not read.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void writesThatBelongToNoAttempt_haveTheGuardOfTheReplica() throws IOException {
    WriteGuard ofAttempts =
        new WriteGuard() {
          @Override
          public Duration timeLeft() {
            return Duration.ZERO;
          }

          @Override
          public WriteGuard unbound() {
            return WriteGuard.OPEN;
          }
        };
    ApiTransport guarded = transport.guardedBy(ofAttempts);
    server.close();
    assertThatThrownBy(() -> write(guarded, 1)).isInstanceOf(LostOwnershipException.class);
    assertThatThrownBy(() -> write(guarded.unbound(), 1))
        .as("sent to an address where no server listens")
        .isInstanceOf(ApiStatusException.class);
    ApiTransport closed = guarded.guardedBy(() -> Duration.ZERO);
    assertThatThrownBy(() -> write(closed.unbound(), 1))
        .as("another guard is not opened")
        .isInstanceOf(LostOwnershipException.class);
  }
}
