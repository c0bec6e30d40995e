// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.verticle;

import io.vertx.core.Context;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * An executor for slices of long work on an event loop, with I/O and timers served in between: at
 * the latest after half a millisecond and one slice.
 *
 * <p>{@link Context#runOnContext} does not do that. Netty 4.2 runs all queued tasks, also those
 * added meanwhile, and checks I/O and timers only when no tasks are left or they took a second
 * together ({@code io.netty.eventLoop.maxTaskProcessingQuantumMs}). A task that requeues itself
 * blocks everything else for that long. Timers are checked once per round, before the tasks, so a
 * timer that is due at once runs first in the next round. A round costs some system calls, so short
 * slices share one.
 *
 * <p>Slices run in the order in which they were submitted.
 *
 * <p>Thread rule: confined to the event loop of its context. There is no bound on how many slices
 * wait; each piece of long work has at most one.
 */
public final class YieldingExecutor implements Executor {
  private static final long ROUND_NANOS = 500_000;

  private final Context context;
  private final LongSupplier nanos;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** When the current round of the event loop began. */
  private long roundBegan;

  private boolean shutsDown;

  /**
   * Creates an executor.
   *
   * @param context on whose event loop slices run
   */
  public YieldingExecutor(Context context) {
    this(context, System::nanoTime);
  }

  YieldingExecutor(Context context, LongSupplier nanos) {
    this.context = Objects.requireNonNull(context, "context");
    this.nanos = nanos;
    this.roundBegan = nanos.getAsLong() - ROUND_NANOS;
  }

  /**
   * Runs a slice later on the event loop, or, if that shuts down meanwhile, while it does.
   *
   * @throws RejectedExecutionException when the event loop was seen shutting down
   */
  @Override
  public void execute(Runnable slice) {
    if (shutsDown) {
      throw new RejectedExecutionException("the event loop shuts down");
    }
    waiting.add(slice);
    if (waiting.size() == 1) {
      next();
    }
  }

  private void next() {
    if (nanos.getAsLong() - roundBegan < ROUND_NANOS) {
      try {
        context.runOnContext(sameRound -> runOne());
      } catch (RejectedExecutionException e) {
        runAll(); // the loop has shut down
      }
      return;
    }
    context
        .owner()
        .timer(1, TimeUnit.NANOSECONDS)
        .onComplete(
            rung -> {
              roundBegan = nanos.getAsLong();
              runOne();
            },
            // The event loop is shutting down, so a timer would not fire any more.
            cancelled -> runAll());
  }

  private void runOne() {
    Runnable slice = waiting.element();
    try {
      slice.run();
    } finally {
      // Not before: slices that this one submits run after the others and are not started twice.
      waiting.remove();
      if (!waiting.isEmpty()) {
        next();
      }
    }
  }

  private void runAll() {
    shutsDown = true;
    Throwable first = null;
    while (!waiting.isEmpty()) {
      try {
        waiting.remove().run();
      } catch (RejectedExecutionException expected) {
        // The executor is closed; the slices behind this one fail in the same way.
      } catch (Throwable e) { // those behind it must run
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      YieldingExecutor.<RuntimeException>raise(first); // the context handles what its tasks throw
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable e) throws T {
    throw (T) e;
  }
}
