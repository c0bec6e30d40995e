// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Creates the objects and changes them at a rate, in a random order, a few requests at a time.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class ObjectWrites {
  private static final int IN_FLIGHT = 16;
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);
  private static final Duration SERVED_LIMIT = Duration.ofSeconds(30);

  private final SharePlan plan;
  private final Resource<Unstructured> objects;
  private final IntFunction<String> namespaces;
  private final Random order = new Random(1);
  private final Semaphore free = new Semaphore(IN_FLIGHT);
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

  /** The last generation of each object that the server has acknowledged. */
  private final Map<String, Long> written = new ConcurrentHashMap<>();

  private long round;

  /**
   * Creates the writes.
   *
   * @param namespaces the names of the namespaces, by number
   */
  ObjectWrites(SharePlan plan, Resource<Unstructured> objects, IntFunction<String> namespaces) {
    this.plan = plan;
    this.objects = objects;
    this.namespaces = namespaces;
  }

  /** Returns the last generation of each object, by its name. */
  Map<String, Long> written() {
    return Map.copyOf(written);
  }

  /** Creates all objects. */
  void create() throws IOException {
    // A definition is served a moment after it was stored.
    if (!Waits.until(SERVED_LIMIT, () -> isServed(0))) {
      throw new IOException("the API server does not serve the objects of the benchmark");
    }
    for (int i = 1; i < plan.objects(); i++) {
      int number = i;
      send(() -> create(number));
    }
    settle();
  }

  private boolean isServed(int first) {
    try {
      create(first);
      return true;
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        return false;
      }
      throw e;
    }
  }

  private void create(int number) {
    Request key = key(number);
    String text =
        """
        {"apiVersion": "bench.coxswain.dev/v1", "kind": "RecordedObject",
         "metadata": {"name": "%s", "namespace": "%s"},
         "spec": {"round": 0, "content": "%s"}}
        """
            .formatted(
                key.name(), key.namespace(), ApiServer.text(plan.bytes(), new Random(number)));
    acknowledged(objects.create(Unstructured.of(JsonParser.parseString(text).getAsJsonObject())));
  }

  /** Changes objects, and returns when all changes are acknowledged and how long that took. */
  Duration change(int changes) throws IOException {
    long begin = System.nanoTime();
    for (int i = 0; i < changes; i++) {
      long due = begin + i * TimeUnit.SECONDS.toNanos(1) / plan.changes();
      Commands.pause(Math.max(0, TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime())));
      JsonObject spec = new JsonObject();
      spec.addProperty("round", ++round);
      JsonObject patch = new JsonObject();
      patch.add("spec", spec);
      Request key = key(order.nextInt(plan.objects()));
      send(() -> acknowledged(objects.patch(key, patch)));
    }
    settle();
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  private Request key(int number) {
    return Request.of(namespaces.apply(number % plan.namespaces()), "object-" + number);
  }

  private void acknowledged(Unstructured object) {
    long generation = object.at("metadata", "generation").orElseThrow().getAsLong();
    String name = object.at("metadata", "name").orElseThrow().getAsString();
    written.merge(name, generation, Math::max);
  }

  private void send(Runnable request) throws IOException {
    take(1);
    Thread.ofVirtual()
        .start(() -> {
          try {
            request.run();
          } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
          } finally {
            free.release();
          }
        });
  }

  /** Waits for the answers to all requests. */
  private void settle() throws IOException {
    take(IN_FLIGHT);
    free.release(IN_FLIGHT);
  }

  private void take(int permits) throws IOException {
    try {
      if (!free.tryAcquire(permits, ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("the API server does not answer");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    RuntimeException failed = failure.get();
    if (failed != null) {
      throw new IOException("a write of the benchmark failed", failed);
    }
  }
}
