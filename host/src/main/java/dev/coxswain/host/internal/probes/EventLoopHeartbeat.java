// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.spi.Clock;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxThread;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A heartbeat of the event loops of one group, each of which is requested to answer by {@link
 * EventLoopWatchdog}. A loop that has not answered a request for ten seconds is stuck.
 *
 * <p>An idle loop is not woken for that: it has no timer of its own, before which it would poll for
 * up to a millisecond, and while Vert.x runs nothing on it, it is requested once in a while only.
 *
 * <p>Thread rule: any thread; {@link #request} is called by one thread.
 */
public final class EventLoopHeartbeat implements Component {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** No request waits for its answer. */
  private static final long NONE = Long.MIN_VALUE;

  private final String name;
  private final Vertx vertx;
  private final Clock clock;
  private final AtomicReferenceArray<@Nullable Loop> loops;

  /** For each loop, when the request was sent that it has not answered, or {@link #NONE}. */
  private final AtomicLongArray requested;

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
    this.loops = new AtomicReferenceArray<>(loops);
    this.requested = new AtomicLongArray(loops);
  }

  private record Loop(Thread thread, Context context) {

    /** Returns whether Vert.x runs something on this loop; as its own check reads it. */
    boolean isRunning() {
      return !(thread instanceof VertxThread timed) || timed.startTime() != 0;
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Future<?> start() {
    for (int i = 0; i < requested.length(); i++) {
      requested.set(i, NONE);
    }
    // Instances are spread over the event loops in turn, so there is one on each.
    return vertx
        .deployVerticle(
            () -> new Beat(next.getAndIncrement() % loops.length()),
            new DeploymentOptions().setInstances(loops.length()))
        .andThen((id, _) -> deployment = id);
  }

  @Override
  public Future<?> stop() {
    String id = deployment;
    deployment = null;
    return id == null ? Future.succeededFuture() : vertx.undeploy(id);
  }

  /**
   * Requests an answer of each loop that has answered the last request.
   *
   * @param idle whether loops are requested that run nothing
   * @return how many were requested
   */
  int request(boolean idle) {
    int count = 0;
    for (int i = 0; i < loops.length() && deployment != null; i++) {
      int index = i;
      Loop loop = loops.get(i);
      if (loop != null
          && (idle || loop.isRunning())
          && requested.compareAndSet(index, NONE, clock.nanos())) {
        try {
          loop.context.runOnContext(_ -> requested.set(index, NONE));
        } catch (RejectedExecutionException e) {
          // It has ended and will not answer, which the checks show.
        }
        count++;
      }
    }
    return count;
  }

  /** Returns the check. */
  public List<Check> checks() {
    String problem = null;
    for (int i = 0; i < loops.length(); i++) {
      Duration silent = silent(i);
      if (silent.compareTo(LIMIT) > 0) {
        problem = "event loop " + i + " has been stuck for " + silent.toSeconds() + " s";
      }
    }
    return List.of(Check.of(name(), problem));
  }

  /**
   * Returns the threads of the event loops that have not answered a request for at least {@code
   * limit}, and for how long.
   */
  Map<Thread, Duration> silentFor(Duration limit) {
    Map<Thread, Duration> silent = new HashMap<>();
    for (int i = 0; i < loops.length(); i++) {
      Loop loop = loops.get(i);
      Duration since = silent(i);
      if (loop != null && since.compareTo(limit) >= 0) {
        silent.put(loop.thread, since);
      }
    }
    return silent;
  }

  private Duration silent(int index) {
    long since = requested.get(index);
    return since == NONE || deployment == null
        ? Duration.ZERO
        : Duration.ofNanos(clock.nanos() - since);
  }

  private final class Beat extends VerticleBase {
    private final int index;

    Beat(int index) {
      this.index = index;
    }

    @Override
    public Future<?> start() {
      loops.set(index, new Loop(Thread.currentThread(), context));
      vertx.setPeriodic(
          Duration.ofDays(1).toMillis(), _ -> {}); // without a timer it wakes up each second
      return Future.succeededFuture();
    }
  }
}
