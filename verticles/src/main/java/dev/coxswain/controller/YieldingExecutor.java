// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import io.vertx.core.Context;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Runs the next slice of long work on an event loop after everything else that the loop has to do
 * by now: I/O that is ready and timers that are due.
 *
 * <p>{@link Context#runOnContext} does not do that. Netty 4.2 runs tasks one after the other, also
 * those that come meanwhile, and looks at I/O and at timers only when there are none left or they
 * took a second together ({@code io.netty.eventLoop.maxTaskProcessingQuantumMs}), so a task that
 * puts itself back in line keeps everybody else out for that long. Timers are looked at once in a
 * round, before the tasks; one that is due at once is therefore the first thing of the next round.
 *
 * <p>Thread rule: immutable; meant to be called on the event loop of its context, where a call
 * costs about a microsecond.
 */
public final class YieldingExecutor implements Executor {
  private final Context context;
  private boolean shutsDown;

  /**
   * Creates an executor.
   *
   * @param context on whose event loop tasks run
   */
  public YieldingExecutor(Context context) {
    this.context = Objects.requireNonNull(context, "context");
  }

  /**
   * Runs a task later on the event loop, or, when that shuts down meanwhile, while it does.
   *
   * @throws RejectedExecutionException when the event loop was seen shutting down
   */
  @Override
  public void execute(Runnable task) {
    if (shutsDown) {
      throw new RejectedExecutionException("the event loop shuts down");
    }
    context
        .owner()
        .timer(1, TimeUnit.NANOSECONDS)
        .onComplete(
            rung -> task.run(),
            cancelled -> {
              // Only an event loop that shuts down does that, and a timer would not ring any more.
              shutsDown = true;
              task.run();
            });
  }
}
