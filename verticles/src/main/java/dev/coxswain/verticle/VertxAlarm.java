// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.verticle;

import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import io.vertx.core.Timer;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An alarm that is one Vert.x timer on the event loop that sets it. */
final class VertxAlarm implements Alarm {
  private final Vertx vertx;
  private final Clock clock;
  private final Runnable onRing;
  private @Nullable Timer timer;
  private int generation;

  VertxAlarm(Vertx vertx, Clock clock, Runnable onRing) {
    this.vertx = vertx;
    this.clock = clock;
    this.onRing = onRing;
  }

  @Override
  public void set(long deadlineNanos) {
    clear();
    long delay = Math.max(1, deadlineNanos - clock.nanos());
    Timer armed = vertx.timer(delay, TimeUnit.NANOSECONDS);
    timer = armed;
    int own = generation;
    armed.onSuccess(rung -> {
      // The timer was replaced while its task was already queued.
      if (own == generation) {
        timer = null;
        onRing.run();
      }
    });
  }

  @Override
  public void clear() {
    generation++;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
