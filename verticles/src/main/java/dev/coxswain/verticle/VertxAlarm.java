// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.verticle;

import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import io.vertx.core.Context;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An alarm of an event loop, timed by a thread that all alarms share. The timers of the event loop
 * itself have a resolution of a millisecond: for the rest of it the loop polls, which costs a
 * controller with many delayed requests a whole processor.
 */
final class VertxAlarm implements Alarm {
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private final Context loop;
  private final Clock clock;
  private final Runnable onRing;
  private @Nullable Future<?> armed;
  private int generation;

  VertxAlarm(Context loop, Clock clock, Runnable onRing) {
    this.loop = loop;
    this.clock = clock;
    this.onRing = onRing;
  }

  private static ScheduledThreadPoolExecutor timer() {
    // It is begun by whatever controller sets an alarm first, and must not keep the class loader of
    // that one's plug-in, which threads inherit.
    ThreadFactory threads =
        Thread.ofPlatform()
            .name("coxswain-alarms")
            .daemon()
            .inheritInheritableThreadLocals(false)
            .factory();
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads);
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }

  @Override
  public void set(long deadlineNanos) {
    clear();
    int own = generation;
    armed = TIMER.schedule(() -> rang(own), deadlineNanos - clock.nanos(), TimeUnit.NANOSECONDS);
  }

  /** Passes the alarm to the event loop; on the timer's thread. */
  private void rang(int own) {
    try {
      loop.runOnContext(there -> ring(own));
    } catch (RejectedExecutionException e) {
      // The event loop has ended, and with it everything that was due there.
    }
  }

  private void ring(int own) {
    // The alarm may have been set again after this task was queued.
    if (own == generation) {
      armed = null;
      onRing.run();
    }
  }

  @Override
  public void clear() {
    generation++;
    Future<?> before = armed;
    if (before != null) {
      before.cancel(false);
      armed = null;
    }
  }
}
