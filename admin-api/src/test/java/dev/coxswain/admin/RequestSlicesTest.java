// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests that come together do not keep everybody else out until the last has been answered. */
class RequestSlicesTest {

  private static final int REQUESTS = 16;
  private static final String REQUEST =
      "GET /api/v1/controllers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n\r\n";

  /** How many timers had rung when each request was decided; each takes a millisecond. */
  private final List<Long> rungBefore = new CopyOnWriteArrayList<>();

  private volatile @Nullable Context loop; // written on the event loop
  private long rung;

  private Future<Boolean> decide(Principal principal, AccessRequest wanted) {
    loop = Vertx.currentContext();
    rungBefore.add(rung);
    long end = System.nanoTime() + 1_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait(); // it stands for a handler that has much to do
    }
    return Future.succeededFuture(true);
  }

  private void ring() {
    rung++;
    Vertx vertx = requireNonNull(Vertx.currentContext()).owner();
    vertx.timer(1, TimeUnit.NANOSECONDS).onSuccess(due -> ring());
  }

  private static Api api(RequestSlicesTest test) {
    var ports =
        new AccessControl.Ports(
            token ->
                Future.succeededFuture(
                    Authentication.accepted(Principal.of("alice"), Duration.ofDays(1))),
            test::decide);
    return new Api(AccessControl.local("test", "any will do", ports), Clock.system(), o -> o);
  }

  @Test
  void whatIsDue_hasItsTurn_betweenTwoRequestsThatCameTogether() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try (Api api = api(this)) {
      for (int i = 0; i < REQUESTS; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port);
        socket.setSoTimeout(60_000);
        sockets.add(socket);
        context(socket);
      }
      rungBefore.clear();
      CountDownLatch sent = new CountDownLatch(1);
      CountDownLatch held = new CountDownLatch(1);
      requireNonNull(loop)
          .runOnContext(hold -> {
            held.countDown();
            await(sent); // so that all of them are there at the next look at the connections
            ring();
          });
      await(held);
      for (Socket socket : sockets) {
        send(socket);
      }
      sent.countDown();
      Await.until(() -> rungBefore.size() == REQUESTS);
      assertThat(rungBefore).doesNotHaveDuplicates().isSorted();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void send(Socket socket) throws IOException {
    socket.getOutputStream().write(REQUEST.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Has one request answered, so that the server has taken the connection. */
  private static void context(Socket socket) throws IOException {
    send(socket);
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.read());
    }
    assertThat(head).startsWith("HTTP/1.1 200 ");
    int from = head.indexOf("content-length: ") + 16;
    in.readNBytes(Integer.parseInt(head.substring(from, head.indexOf("\r\n", from))));
  }
}
