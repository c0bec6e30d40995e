// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.recorder.RecordingControllers;
import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.testing.process.Commands;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * Changes objects at a rate, in a random order, until it is closed. A change that is not
 * acknowledged is not one.
 */
final class ChangeFeed implements AutoCloseable {
  /** An acknowledged change, the generation that it made, and when it was acknowledged. */
  record Change(String key, long generation, long nanos) {}

  private final ServerCalls calls;
  private final List<String> keys;
  private final long periodNanos;
  private final Random random;
  private final Queue<Change> changes = new ConcurrentLinkedQueue<>();
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  /** Held during a change, so that none is under way after {@link #pause}. */
  private final ReentrantLock changing = new ReentrantLock();

  /** Guarded by {@link #changing}. */
  private boolean running;

  private final Thread thread;
  private long round;

  /** Creates a feed of the objects of a plan; it is paused. */
  static ChangeFeed of(OwnershipPlan plan, ServerCalls calls) {
    return new ChangeFeed(
        calls,
        IntStream.range(0, plan.objects()).mapToObj(i -> "object-" + i).toList(),
        plan.changes(),
        plan.seed());
  }

  private ChangeFeed(ServerCalls calls, List<String> keys, int rate, long seed) {
    this.calls = calls;
    this.keys = List.copyOf(keys);
    this.periodNanos = Duration.ofSeconds(1).toNanos() / rate;
    this.random = new Random(seed);
    this.thread = Thread.ofPlatform().daemon().name("changes").unstarted(this::run);
  }

  /** Creates the objects, each with a content of a size. */
  void create(int bytes) throws IOException {
    Random content = new Random(1);
    calls.prepare();
    for (int i = 0; i < keys.size(); i++) {
      calls.create(
          keys.get(i),
          new JsonObject(
              """
              {"apiVersion": "bench.coxswain.dev/v1", "kind": "RecordedObject",
               "metadata": {"name": "%s", "namespace": "%s", "labels": %s},
               "spec": {"round": 0, "content": "%s"}}
              """
                  .formatted(
                      keys.get(i),
                      calls.namespace(keys.get(i)),
                      RecordingControllers.label(i % RecordingControllers.COUNT),
                      ApiServer.text(bytes, content))));
    }
    thread.start();
  }

  void resume() {
    setRunning(true);
  }

  /** Stops changing; when it returns no change is under way. */
  void pause() {
    setRunning(false);
  }

  private void setRunning(boolean value) {
    changing.lock();
    try {
      running = value;
    } finally {
      changing.unlock();
    }
  }

  private void run() {
    try {
      long next = System.nanoTime();
      while (true) {
        next = Math.max(next + periodNanos, System.nanoTime() - 10 * periodNanos);
        Commands.pause(Math.max(0, Duration.ofNanos(next - System.nanoTime()).toMillis()));
        changing.lock();
        try {
          if (running) {
            change(keys.get(random.nextInt(keys.size())));
          }
        } finally {
          changing.unlock();
        }
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void change(String key) {
    try {
      round++;
      if (failing.contains(key)) {
        return;
      }
      JsonObject object = calls.change(key, "round", round);
      long generation = object.getJsonObject("metadata").getLong("generation");
      changes.add(new Change(key, generation, System.nanoTime()));
    } catch (IOException _) {
      // the server is away: no change
    }
  }

  /** Has every attempt of some objects fail, or succeed again. */
  void fail(Collection<String> some, boolean fail) throws IOException {
    if (fail) {
      failing.addAll(some);
    }
    for (String key : some) {
      calls.change(key, "fail", fail);
    }
    if (!fail) {
      some.forEach(failing::remove);
    }
  }

  Set<String> failing() {
    return Set.copyOf(failing);
  }

  List<String> keys() {
    return keys;
  }

  /** Returns the acknowledged changes of a time. */
  List<Change> between(long from, long to) {
    return changes.stream().filter(one -> one.nanos() >= from && one.nanos() < to).toList();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
