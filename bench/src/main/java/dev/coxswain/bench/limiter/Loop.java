// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import io.vertx.core.Context;
import io.vertx.core.Timer;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/** The one event loop of a member. Any thread, but for timers. */
record Loop(Vertx vertx, Context context) {
  static Loop create(Vertx vertx) {
    return new Loop(vertx, vertx.getOrCreateContext());
  }

  void run(Runnable task) {
    context.runOnContext(ignored -> task.run());
  }

  /** Runs a task later; only on the event loop. */
  Timer after(long nanos, Runnable task) {
    Timer timer = vertx.timer(Math.max(1, nanos), TimeUnit.NANOSECONDS);
    timer.onSuccess(ignored -> task.run());
    return timer;
  }
}
