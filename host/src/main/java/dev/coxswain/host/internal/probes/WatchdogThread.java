// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watchdog, which looks once a second, on a platform thread of its own.
 *
 * <p>Thread rule: {@link #isSteady} is called by the watchdog's look only, the rest on any thread.
 */
abstract class WatchdogThread implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(WatchdogThread.class);

  /** The time between two looks. */
  static final Duration PERIOD = Duration.ofSeconds(1);

  private final String name;
  private final Clock clock;
  private final long limit;

  private volatile @Nullable Thread thread;

  // Confined to the looks.
  private long lookedAt;
  private long steadySince;

  /**
   * Creates a thread that is not started.
   *
   * @param name the name of the watchdog
   * @param limit the gap between two looks after which the process counts as suspended
   */
  WatchdogThread(String name, Clock clock, Duration limit) {
    this.name = name;
    this.clock = clock;
    this.limit = limit.toNanos();
    this.lookedAt = clock.nanos();
    this.steadySince = lookedAt;
  }

  /** Looks once; what it throws is logged, and it is called again. */
  abstract void look();

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Future<?> start() {
    Thread created = Thread.ofPlatform().daemon().name("coxswain-" + name).unstarted(this::run);
    thread = created; // before it runs, because it ends when it is another one
    created.start();
    return Future.succeededFuture();
  }

  @Override
  public final Future<?> stop() {
    Thread running = thread;
    thread = null;
    if (running != null) {
      running.interrupt();
    }
    return Future.succeededFuture();
  }

  boolean isStarted() {
    return thread != null;
  }

  private void run() {
    while (Thread.currentThread().equals(thread)) {
      try {
        Thread.sleep(PERIOD);
        look();
      } catch (InterruptedException e) {
        // the end, or of no concern
      } catch (Throwable e) {
        LOG.atError().addKeyValue("watchdog", name).setCause(e).log("watchdog failed, continuing");
      }
    }
  }

  /**
   * Returns whether there was no gap between looks for the limit. After a gap, as when the process
   * was suspended or got no processor, every thread is late, and none is the cause.
   */
  boolean isSteady() {
    long now = clock.nanos();
    if (now - lookedAt >= limit) {
      steadySince = now;
    }
    lookedAt = now;
    return now - steadySince >= limit;
  }
}
