// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.coxswain.testing.Await;
import io.kubernetes.client.util.ClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The requests for the end of an outage. */
class OutageProbeTest {

  private final AtomicInteger requests = new AtomicInteger();
  private final CountDownLatch release = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile int status = 403;
  private HttpServer server;
  private ApiTransport transport;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/version",
        exchange -> {
          requests.incrementAndGet();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
    transport =
        new ApiTransport(
            new ClientBuilder()
                .setBasePath("http://127.0.0.1:" + server.getAddress().getPort())
                .build(),
            KubernetesOptions.DEFAULT);
  }

  @AfterEach
  void stop() {
    release.countDown();
    server.stop(0);
    threads.close();
  }

  @Test
  void manyCallers_sendOneRequestAtATime_andAnyAnswerCounts() {
    for (int i = 0; i < 1_000; i++) {
      transport.probe();
      transport.cancellable().probe();
    }
    Await.until("a request", () -> requests.get() == 1);
    release.countDown();
    Await.until("its answer", () -> transport.answers() == 1);
    transport.probe(); // too soon
    assertThat(requests).hasValue(1);
  }

  /** A program that has ended its work would otherwise live on for a minute after an outage. */
  @Test
  void itsThread_keepsNoProcessAlive() { // OkHttp names it after the address while it waits
    transport.probe();
    Await.until("a request", () -> requests.get() == 1);
    assertThat(
            Thread.getAllStackTraces().keySet().stream()
                .filter(
                    thread -> thread.getName().contains(":" + server.getAddress().getPort() + "/")))
        .isNotEmpty()
        .allMatch(Thread::isDaemon);
  }

  @Test
  void aServerThatCannotAnswer_isSentAnother_andDoesNotCount() {
    status = 503;
    release.countDown();
    Await.until(
        "further requests",
        () -> {
          transport.probe();
          return requests.get() >= 3;
        });
    assertThat(transport.answers()).isZero();
  }
}
