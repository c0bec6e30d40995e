// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.whole.subject.Probe;
import dev.coxswain.testing.process.HttpCalls;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes of the driver: each puts its phase and its time into a ConfigMap.
 */
final class MapWrites {
  private static final int IN_FLIGHT = 16;
  private static final int LIMIT_SECONDS = 30;

  private final HttpCalls http;
  private final Semaphore free = new Semaphore(IN_FLIGHT);
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /** From just before each request to its answer, in nanoseconds. */
  private final Queue<Long> answered = new ConcurrentLinkedQueue<>();

  MapWrites(URI server) {
    http = new HttpCalls(server);
  }

  /**
   * Updates objects in turn, and returns when all are stored.
   *
   * @param perSecond how many; 0 for as many as the server takes
   * @return how long each write took, in nanoseconds
   */
  long[] write(String namespace, String phase, int objects, int perSecond) throws IOException {
    answered.clear();
    long begin = System.nanoTime();
    for (int i = 0; i < objects; i++) {
      long due = perSecond == 0 ? begin : begin + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      send(namespace, MapContent.name(i), phase, null);
    }
    settle();
    return answered.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /** Updates an object whose next attempts fail. */
  void failing(String namespace, String name, String phase, int failures) throws IOException {
    send(namespace, name, phase, Integer.toString(failures));
    settle();
  }

  private void send(String namespace, String name, String phase, @Nullable String failures)
      throws IOException {
    take(1);
    long begin = System.nanoTime();
    JsonObject data =
        new JsonObject()
            .put(Probe.PHASE, phase)
            .put(Probe.SENT, Long.toString(Probe.now()))
            .put(Probe.FAILURES, failures);
    String path = "/api/v1/namespaces/" + namespace + "/configmaps/" + name;
    var _ =
        http.begin("PATCH", path, new JsonObject().put("data", data))
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
      if (!free.tryAcquire(permits, LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("the API server does not answer");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
