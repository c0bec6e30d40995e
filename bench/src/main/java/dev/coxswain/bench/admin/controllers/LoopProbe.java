// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import io.netty.util.concurrent.EventExecutor;
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
 * Schedules an empty task on every event loop of the process a hundred times a second, and measures
 * how late it runs, and how much of that was work of the loop ({@link LoopWatch}). Not more often,
 * because a loop that is woken a thousand times a second costs a tenth of a core by that alone.
 * What holds a loop now and then for a moment may fall between two looks; what does so often is
 * seen, and what holds it for longer than a hundredth of a second always.
 *
 * <p>Writes a line a second into {@code probe-PID} in its folder: milliseconds since 1970, attempts
 * so far, and {@link LoopWatch.Seen#lineAndReset}.
 */
final class LoopProbe {
  private static final long PERIOD_NANOS = 10_000_000;
  private static final long SAMPLE_NANOS = 2_000_000;
  private static final Logger log = LoggerFactory.getLogger(LoopProbe.class);

  private final BufferedWriter out;
  private final LongAdder attempts;
  private final LoopWatch.Seen seen = new LoopWatch.Seen();
  private final List<LoopWatch> watches = new CopyOnWriteArrayList<>();

  LoopProbe(Path folder, LongAdder attempts) throws IOException {
    out = Files.newBufferedWriter(folder.resolve("probe-" + ProcessHandle.current().pid()));
    this.attempts = attempts;
  }

  /** Watches the event loops until the process ends. */
  void watch(Vertx vertx) {
    for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
      loop.execute(() -> {
        LoopWatch watch = new LoopWatch(Thread.currentThread(), PERIOD_NANOS, seen);
        watches.add(watch);
        var _ =
            loop.scheduleWithFixedDelay(
                watch::look, PERIOD_NANOS, PERIOD_NANOS, TimeUnit.NANOSECONDS);
      });
    }
    Thread.ofPlatform().daemon().name("loop-sampler").start(this::sample);
    vertx.setPeriodic(1_000, _ -> write(vertx));
  }

  private void sample() {
    promote();
    while (true) {
      LockSupport.parkNanos(SAMPLE_NANOS);
      watches.forEach(LoopWatch::sample);
    }
  }

  /**
   * Gives the thread a real-time priority where it has the right to, so that it samples in time also when more
   * threads want to run than there are processors; a sample that comes late only proves less.
   */
  private static void promote() {
    try {
      Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self"));
      new ProcessBuilder("chrt", "-f", "-p", "1", thread.getFileName().toString()).start();
    } catch (IOException e) {
      log.atInfo().setCause(e).log("event loops are sampled without a real-time priority");
    }
  }

  private void write(Vertx vertx) {
    String line =
        System.currentTimeMillis() + " " + attempts.sum() + " " + seen.lineAndReset() + "\n";
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
}
