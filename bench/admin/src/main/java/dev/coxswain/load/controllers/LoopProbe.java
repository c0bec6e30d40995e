// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.controllers;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Asks every event loop of the process to do nothing a hundred times a second, and sees how late it
 * comes to that: by the clock, which counts what the machine and the collector take, too, and by
 * the processor time that the loop itself has used since the last time, if that is less: work that
 * did not let others in. Not more often, because a loop that is woken a thousand times a second
 * costs a tenth of a core by that alone, in each process four times.
 *
 * <p>What holds a loop now and then for a moment may fall between two looks; what does so often is
 * seen, and what holds it for longer than a hundredth of a second always.
 *
 * <p>Writes a line a second into {@code probe-PID} in its folder: milliseconds since 1970, attempts
 * so far, the longest of both of that second in microseconds, how often it looked, and how often
 * the work was longer than five milliseconds.
 */
final class LoopProbe {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final long PERIOD_NANOS = 10_000_000;
  private static final long BUDGET_NANOS = 5_000_000;

  private final BufferedWriter out;
  private final LongAdder attempts;
  private final AtomicLong longestByClock = new AtomicLong();
  private final AtomicLong longestByWork = new AtomicLong();
  private final LongAdder looks = new LongAdder();
  private final LongAdder overBudget = new LongAdder();

  private LoopProbe(BufferedWriter out, LongAdder attempts) {
    this.out = out;
    this.attempts = attempts;
  }

  static LoopProbe open(Path folder, LongAdder attempts) throws IOException {
    Path file = folder.resolve("probe-" + ProcessHandle.current().pid());
    return new LoopProbe(Files.newBufferedWriter(file), attempts);
  }

  /** Watches until what it returns is closed. */
  AutoCloseable watch(Vertx vertx) {
    List<ScheduledFuture<?>> watching = new ArrayList<>();
    for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
      Watch watch = new Watch();
      watching.add(
          loop.scheduleWithFixedDelay(watch, PERIOD_NANOS, PERIOD_NANOS, TimeUnit.NANOSECONDS));
    }
    long timer = vertx.setPeriodic(1_000, _ -> write(vertx));
    return () -> {
      watching.forEach(one -> one.cancel(false));
      vertx.cancelTimer(timer);
    };
  }

  private void write(Vertx vertx) {
    String line =
        System.currentTimeMillis()
            + " "
            + attempts.sum()
            + " "
            + longestByClock.getAndSet(0)
            + " "
            + longestByWork.getAndSet(0)
            + " "
            + looks.sumThenReset()
            + " "
            + overBudget.sumThenReset()
            + "\n";
    vertx.executeBlocking(() -> {
      try {
        out.write(line);
        out.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return null;
    });
  }

  /** Of one loop. */
  private final class Watch implements Runnable {
    private long last;
    private long work;

    @Override
    public void run() {
      if (last != 0) {
        long late = System.nanoTime() - last - PERIOD_NANOS;
        long used = THREADS.getCurrentThreadCpuTime() - work;
        longestByClock.accumulateAndGet(late / 1_000, Math::max);
        long held = Math.min(late, used);
        longestByWork.accumulateAndGet(held / 1_000, Math::max);
        looks.increment();
        if (held > BUDGET_NANOS) {
          overBudget.increment();
        }
      }
      work = THREADS.getCurrentThreadCpuTime();
      last = System.nanoTime();
    }
  }
}
