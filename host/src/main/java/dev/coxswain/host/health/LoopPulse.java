// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.health;

import dev.coxswain.host.lifecycle.Member;
import dev.coxswain.time.Clock;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Feels whether every event loop still turns: each writes the time twice a second, and one that has
 * not done so for a long while is stuck.
 *
 * <p>Thread rule: any thread; each event loop writes its own slot.
 */
public final class LoopPulse implements Member {

  private static final long BEAT_MILLIS = 500;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final Clock clock;
  private final AtomicLongArray beats;
  private final AtomicInteger next = new AtomicInteger();
  private volatile @Nullable String deployment;

  /**
   * Creates it; nothing is felt yet.
   *
   * @param loops how many event loops there are
   */
  public LoopPulse(Vertx vertx, int loops, Clock clock) {
    this.vertx = vertx;
    this.clock = clock;
    this.beats = new AtomicLongArray(loops);
  }

  @Override
  public String name() {
    return "event-loops";
  }

  @Override
  public Future<?> start() {
    for (int i = 0; i < beats.length(); i++) {
      beats.set(i, clock.nanos());
    }
    // Instances are spread over the event loops in turn, so there is one on each.
    return vertx
        .deployVerticle(
            () -> new Beat(beats, next.getAndIncrement() % beats.length(), clock),
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

  private static final class Beat extends VerticleBase {
    private final AtomicLongArray beats;
    private final int index;
    private final Clock clock;

    Beat(AtomicLongArray beats, int index, Clock clock) {
      this.beats = beats;
      this.index = index;
      this.clock = clock;
    }

    @Override
    public Future<?> start() {
      vertx.setPeriodic(BEAT_MILLIS, _ -> beats.set(index, clock.nanos()));
      return Future.succeededFuture();
    }
  }
}
