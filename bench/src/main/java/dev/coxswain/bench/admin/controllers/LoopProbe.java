// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules an empty task on every event loop of the process a hundred times a second, and measures how late it runs, and how much of that was work of the loop ({@link LoopWatch}). Not more often,
 * because a loop that is woken a thousand times a second costs a tenth of a core by that alone, in
 * each process four times.
 *
 * <p>What holds a loop now and then for a moment may fall between two looks; what does so often is
 * seen, and what holds it for longer than a hundredth of a second always.
 *
 * <p>Writes into {@code probe-PID} in its folder first {@code start-cache used} or {@code
 * start-cache not used}, and then a line a second: milliseconds since 1970, attempts so far, and
 * the line of {@link LoopWatch.Seen#lineAndReset} for that second; before it, a line for each time
 * that a loop was held: {@code held}, the same milliseconds, what was seen.
 */
final class LoopProbe {
  private static final long PERIOD_NANOS = 10_000_000;
  private static final long SAMPLE_NANOS = 2_000_000;

  private static final String SAMPLER = "loop-sampler";
  private static final Logger log = LoggerFactory.getLogger(LoopProbe.class);

  private final BufferedWriter out;
  private final LongAdder attempts;
  private final LoopWatch.Seen seen = new LoopWatch.Seen();
  private final List<LoopWatch> watches = new CopyOnWriteArrayList<>();

  private LoopProbe(BufferedWriter out, LongAdder attempts) {
    this.out = out;
    this.attempts = attempts;
  }

  static LoopProbe open(Path folder, LongAdder attempts) throws IOException {
    Path file = folder.resolve("probe-" + ProcessHandle.current().pid());
    BufferedWriter out = Files.newBufferedWriter(file);
    out.write(usesStartCache() ? "start-cache used\n" : "start-cache not used\n");
    out.flush();
    return new LoopProbe(out, attempts);
  }

  /** The launcher names the cache, and a JVM that refuses it does without any sharing. */
  private static boolean usesStartCache() {
    return System.getProperty("coxswain.start.cache") != null
        && System.getProperty("java.vm.info", "").contains("sharing");
  }

  /** Watches until what it returns is closed. */
  AutoCloseable watch(Vertx vertx) {
    List<ScheduledFuture<?>> looks = new CopyOnWriteArrayList<>();
    for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
      loop.execute(() -> {
        LoopWatch watch = new LoopWatch(Thread.currentThread(), PERIOD_NANOS, seen);
        watches.add(watch);
        looks.add(
            loop.scheduleWithFixedDelay(
                watch::look, PERIOD_NANOS, PERIOD_NANOS, TimeUnit.NANOSECONDS));
      });
    }
    Thread sampler = Thread.ofPlatform().daemon().name(SAMPLER).start(this::sample);
    long timer = vertx.setPeriodic(1_000, _ -> write(vertx));
    return () -> {
      looks.forEach(one -> one.cancel(false));
      vertx.cancelTimer(timer);
      sampler.interrupt();
    };
  }

  /**
   * Samples at its time also when more threads want to run than there are processors, where it has
   * the right to; a sample that comes late only proves less.
   */
  private void sample() {
    try {
      for (String id : SystemThreads.named(SAMPLER).values()) {
        SystemThreads.promote(id, 1);
      }
    } catch (IOException e) {
      log.atInfo().setCause(e).log("event loops are sampled without a real-time priority");
    }
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(SAMPLE_NANOS);
      watches.forEach(LoopWatch::sample);
    }
  }

  private void write(Vertx vertx) {
    long now = System.currentTimeMillis();
    StringBuilder text = new StringBuilder();
    seen.takeHeld()
        .forEach(held -> text.append("held ").append(now).append(' ').append(held).append('\n'));
    text.append(now)
        .append(' ')
        .append(attempts.sum())
        .append(' ')
        .append(seen.lineAndReset())
        .append('\n');
    vertx.executeBlocking(() -> {
      try {
        out.write(text.toString());
        out.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return null;
    });
  }
}
