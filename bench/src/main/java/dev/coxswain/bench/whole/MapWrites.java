// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.whole.subject.Probe;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes of the driver: each puts its phase and its time into a ConfigMap.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class MapWrites implements AutoCloseable {
  private static final int IN_FLIGHT = 16;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final URI server;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Semaphore free = new Semaphore(IN_FLIGHT);
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /** From just before each request to its answer, in nanoseconds. */
  private final Queue<Long> answered = new ConcurrentLinkedQueue<>();

  MapWrites(URI server) {
    this.server = server;
  }

  /**
   * Updates objects as fast as the server takes it, and returns when all are stored.
   *
   * @return how long each write took, in nanoseconds
   */
  long[] burst(String namespace, String phase, int objects) throws IOException {
    answered.clear();
    for (int i = 0; i < objects; i++) {
      send(namespace, WholeServer.name(i), phase, "null");
    }
    settle();
    return took();
  }

  /**
   * Updates objects in turn at a rate, and returns when all are stored.
   *
   * @return how long each write took, in nanoseconds
   */
  long[] paced(String namespace, String phase, int writes, int perSecond) throws IOException {
    answered.clear();
    long begin = System.nanoTime();
    for (int i = 0; i < writes; i++) {
      long due = begin + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      send(namespace, WholeServer.name(i), phase, "null");
    }
    settle();
    return took();
  }

  private long[] took() {
    return answered.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /** Updates an object whose next attempts fail. */
  void failing(String namespace, String name, String phase, int failures) throws IOException {
    send(namespace, name, phase, "\"" + failures + "\"");
    settle();
  }

  private void send(String namespace, String name, String phase, String failures)
      throws IOException {
    take(1);
    long begin = System.nanoTime();
    HttpRequest request =
        HttpRequest.newBuilder(
                server.resolve("/api/v1/namespaces/" + namespace + "/configmaps/" + name))
            .timeout(LIMIT)
            .header("Content-Type", "application/merge-patch+json")
            .method(
                "PATCH",
                BodyPublishers.ofString(
                    "{\"data\": {\"%s\": \"%s\", \"%s\": \"%d\", \"%s\": %s}}"
                        .formatted(
                            Probe.PHASE, phase, Probe.SENT, Probe.now(), Probe.FAILURES, failures)))
            .build();
    var _ =
        http.sendAsync(request, BodyHandlers.discarding())
            .whenComplete((response, error) -> done(begin, response, error));
  }

  private void done(long begin, @Nullable HttpResponse<?> response, @Nullable Throwable error) {
    answered.add(System.nanoTime() - begin);
    if (response == null || response.statusCode() != 200) {
      failure.set(response == null ? "" + error : "answered with " + response.statusCode());
    }
    free.release();
  }

  /** Waits for the answers to all writes. */
  private void settle() throws IOException {
    take(IN_FLIGHT);
    free.release(IN_FLIGHT);
    String failed = failure.get();
    if (failed != null) {
      throw new IOException("a write failed: " + failed);
    }
  }

  private void take(int permits) throws IOException {
    try {
      if (!free.tryAcquire(permits, LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("the API server does not answer");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
