// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.resource.Dumps;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever reads a dump slowly gets all of it; whoever reads none of it is cut off. */
@Timeout(120)
@Order(1) // takes long
class SlowClientTest {

  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final int ITEMS = 8_000; // of more than a kilobyte: more than the buffers hold
  private static final int SLICE = 16 * 1024;
  private static final Duration BETWEEN_SLICES = Duration.ofMillis(100);

  private final Cluster3 cluster =
      new Cluster3(AccessControl.open(), options -> options.withIdleTimeout(IDLE));

  @AfterEach
  void close() {
    cluster.close();
  }

  private void fill(int replica) {
    for (int i = 0; i < ITEMS; i++) {
      cluster.at(replica).demo.put("ns", "item-" + i, Phase.DELAYED, 1, "x".repeat(1000));
    }
  }

  private Socket dump(int replica) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(SLICE);
    socket.setSoTimeout(60_000);
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), cluster.at(replica).port));
    socket
        .getOutputStream()
        .write(
            ("GET "
                    + Api.DEMO
                    + "/items HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Accept: application/x-ndjson\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Reads slice by slice for longer than the idle time-out, then all that is left. */
  private static String slowly(Socket socket) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    long end = System.nanoTime() + IDLE.multipliedBy(3).dividedBy(2).toNanos();
    while (System.nanoTime() - end < 0) {
      byte[] slice = in.readNBytes(SLICE);
      text.write(slice);
      if (slice.length < SLICE) {
        break; // cut, or at its end: the text tells
      }
      LockSupport.parkNanos(BETWEEN_SLICES.toNanos());
    }
    in.transferTo(text);
    return text.toString(StandardCharsets.UTF_8);
  }

  private void assertWhole(String text) {
    assertThat(text.substring(Math.max(0, text.length() - 1000)))
        .as("the end of %s characters", text.length())
        .contains("{\"kind\":\"Trailer\",\"complete\":true,\"count\":" + ITEMS);
  }

  @Test
  void aClientThatReadsSlowly_getsTheWholeDump() throws IOException {
    fill(0);
    try (Socket socket = dump(0)) {
      assertWhole(slowly(socket));
    }
  }

  @Test
  void aClientThatReadsSlowly_getsTheWholeDump_ofAnotherReplicaToo() throws IOException {
    fill(1);
    try (Socket socket = dump(0)) {
      assertWhole(slowly(socket));
    }
  }

  @Test
  void aClientThatReadsNothing_isCutOff() throws IOException {
    fill(0);
    try (Socket socket = dump(0)) {
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      Api api = cluster.at(0);
      Await.until(() -> {
        var request = api.request(Api.DEMO + "/items?name=nothing").header("Accept", Dumps.TYPE);
        return api.send(request).status() == 200; // the place of the first one is free again
      });
    }
  }
}
