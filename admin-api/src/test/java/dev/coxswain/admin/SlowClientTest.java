// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.spi.Clock;
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
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that reads slowly receives the whole response. */
@Timeout(120)
@Order(1) // takes long
class SlowClientTest {

  private static final Duration IDLE = Duration.ofSeconds(6);
  private static final int ITEMS = 500; // of more than a kilobyte: more than the buffers hold
  private static final int SLICE = 16 * 1024;
  private static final Duration BETWEEN_SLICES = Duration.ofMillis(300);

  /** Opens the largest page. */
  private static Socket page(Api api) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(SLICE);
    socket.setSoTimeout(60_000);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port));
    socket
        .getOutputStream()
        .write(
            ("GET "
                    + Api.DEMO
                    + "/items?limit="
                    + ITEMS
                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Reads slice by slice, for longer than the idle time-out. */
  private static String slowly(Socket socket) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    byte[] slice = in.readNBytes(SLICE);
    while (slice.length > 0) {
      text.write(slice);
      LockSupport.parkNanos(BETWEEN_SLICES.toNanos());
      slice = in.readNBytes(SLICE);
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aClientThatReadsSlowly_getsTheWholePage() throws IOException {
    try (Api api =
        new Api(AccessControl.open(), Clock.system(), options -> options.withIdleTimeout(IDLE))) {
      for (int i = 0; i < ITEMS; i++) {
        api.demo.put("ns", "item-" + i, Phase.DELAYED, 1, "x".repeat(1000));
      }
      try (Socket socket = page(api)) {
        long begin = System.nanoTime();
        String[] parts = slowly(socket).split("\r\n\r\n", 2);
        String length = parts[0].replaceAll("(?is).*content-length: (\\d+).*", "$1");
        assertThat(parts[1]).hasSize(Integer.parseInt(length));
        assertThat(System.nanoTime() - begin).isGreaterThan(IDLE.toNanos());
      }
    }
  }
}
