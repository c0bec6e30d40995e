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
 * Runs slices of long work on an event loop so that everything else that the loop has to do (I/O
 * that is ready, timers that are due) has its turn in between, at the latest after half a
 * millisecond and one slice.
 *
 * <p>{@link Context#runOnContext} does not do that. Netty 4.2 runs tasks one after the other, also
 * those that come meanwhile, and looks at I/O and at timers only when there are none left or they
 * took a second together ({@code io.netty.eventLoop.maxTaskProcessingQuantumMs}), so a task that
 * puts itself back in line keeps everybody else out for that long. Timers are looked at once in a
 * round, before the tasks; one that is due at once is therefore the first thing of the next round.
 * A round costs some system calls, which is why short slices share one.
 *
 * <p>Who shares an executor takes turns: slices run in the order in which they came.
 *
 * <p>Thread rule: confined to the event loop of its context. There is no bound on how many slices
 * wait; each piece of long work has at most one.
 */
public final class YieldingExecutor implements Executor {
  private static final long ROUND_NANOS = 500_000;

  private final Context context;
  private final LongSupplier nanos;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** When a round of the event loop was last seen to begin. */
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
   * Runs a slice later on the event loop, or, when that shuts down meanwhile, while it does.
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
            // Only an event loop that shuts down does that, and a timer would not ring any more.
            cancelled -> runAll());
  }

  private void runOne() {
    Runnable slice = waiting.element();
    try {
      slice.run();
    } finally {
      // Not before: what it puts in line is to come after the others, and not to be begun twice.
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
        // It cannot go on; those behind it are to find that out, too.
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
