// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetServer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated // counts the descriptors of the process
@EnabledOnOs(OS.LINUX) // they are read from /proc
class BoundedTransportTest {

  private static final int MOST = 20;
  private static final int CLIENTS = 300;

  private final Vertx vertx =
      Vertx.builder()
          .with(new VertxOptions().setEventLoopPoolSize(1))
          .withTransport(new BoundedTransport(MOST, MOST))
          .build();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  /**
   * The JDK closes the descriptor of a connection with the next selection of its event loop. One that
   * has much to do closes many connections before that.
   */
  @Test
  void aConnectionThatIsClosed_counts_untilItsDescriptorIs() throws Exception {
    AtomicInteger most = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    AtomicInteger opened = new AtomicInteger(); // by the clients
    NetServer server =
        vertx
            .createNetServer()
            .connectHandler(connection -> {
              connection.close();
              LockSupport.parkNanos(2_000_000); // so that the others are accepted meanwhile
              most.accumulateAndGet(sockets() - opened.get(), Math::max);
              seen.incrementAndGet();
            })
            .listen(0, "127.0.0.1")
            .await(1, TimeUnit.MINUTES);
    List<Socket> clients = new ArrayList<>();
    try {
      int before = sockets();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new Socket(InetAddress.getLoopbackAddress(), server.actualPort()));
        opened.incrementAndGet();
        LockSupport.parkNanos(1_000_000); // as long as an acceptance takes
      }
      assertThat(seen.get()).isGreaterThanOrEqualTo(MOST);
      // One more is being accepted, and one client is not counted yet.
      assertThat(most.get() - before).isLessThanOrEqualTo(MOST + 2);
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static int sockets() {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return (int)
          all.filter(
                  one -> {
                    try {
                      return Files.readSymbolicLink(one).toString().startsWith("socket:");
                    } catch (java.io.IOException e) {
                      return false; // closed meanwhile
                    }
                  })
              .count();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
