// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.probes;

import dev.coxswain.host.lifecycle.Component;
import dev.coxswain.spi.Clock;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A heartbeat of the event loops of one group: each writes the time twice a second, and a loop
 * without a heartbeat for ten seconds is stuck.
 *
 * <p>Thread rule: any thread; each event loop writes its own slot.
 */
public final class EventLoopHeartbeat implements Component {

  private static final long BEAT_MILLIS = 500;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final String name;
  private final Vertx vertx;
  private final Clock clock;
  private final AtomicLongArray beats;
  private final AtomicReferenceArray<@Nullable Thread> threads;
  private final AtomicInteger next = new AtomicInteger();
  private volatile @Nullable String deployment;

  /**
   * Creates a heartbeat that is not started.
   *
   * @param name the name of its check
   * @param vertx the owner of the event loops
   * @param loops the number of event loops
   */
  public EventLoopHeartbeat(String name, Vertx vertx, int loops, Clock clock) {
    this.name = name;
    this.vertx = vertx;
    this.clock = clock;
    this.beats = new AtomicLongArray(loops);
    this.threads = new AtomicReferenceArray<>(loops);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Future<?> start() {
    for (int i = 0; i < beats.length(); i++) {
      beats.set(i, clock.nanos());
    }
    // Instances are spread over the event loops in turn, so there is one on each.
    return vertx
        .deployVerticle(
            () -> new Beat(next.getAndIncrement() % beats.length()),
            new DeploymentOptions().setInstances(beats.length()))
        .onSuccess(id -> deployment = id);
  }

  @Override
  public Future<?> stop() {
    String id = deployment;
    deployment = null;
    return id == null ? Future.succeededFuture() : vertx.undeploy(id);
  }

  /** Returns the check. */
  public List<Check> checks() {
    String problem = null;
    if (deployment != null) {
      for (int i = 0; i < beats.length(); i++) {
        Duration silent = Duration.ofNanos(clock.nanos() - beats.get(i));
        if (silent.compareTo(LIMIT) > 0) {
          problem = "event loop " + i + " has been stuck for " + silent.toSeconds() + " s";
        }
      }
    }
    return List.of(Check.of(name(), problem));
  }

  /**
   * Returns the threads of the event loops without a heartbeat for at least {@code limit}, and for
   * how long.
   */
  Map<Thread, Duration> silentFor(Duration limit) {
    if (deployment == null) {
      return Map.of();
    }
    Map<Thread, Duration> silent = new HashMap<>();
    for (int i = 0; i < beats.length(); i++) {
      Thread thread = threads.get(i);
      Duration since = Duration.ofNanos(clock.nanos() - beats.get(i));
      if (thread != null && since.compareTo(limit) >= 0) {
        silent.put(thread, since);
      }
    }
    return silent;
  }

  private final class Beat extends VerticleBase {
    private final int index;

    Beat(int index) {
      this.index = index;
    }

    @Override
    public Future<?> start() {
      threads.set(index, Thread.currentThread());
      vertx.setPeriodic(BEAT_MILLIS, _ -> beats.set(index, clock.nanos()));
      return Future.succeededFuture();
    }
  }
}
