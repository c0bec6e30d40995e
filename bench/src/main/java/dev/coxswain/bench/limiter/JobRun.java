// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * One member does a job: it asks, and asks again for whatever is granted.
 *
 * <p>Thread rule: confined to the event loop.
 */
final class JobRun {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Loop loop;
  private final LimiterSubject.Place place;
  private final Job job;
  private final LimiterSubject subject;
  private final List<Asks> lines = new ArrayList<>();
  private final CompletableFuture<JobReport> done = new CompletableFuture<>();
  private final LongStream.Builder waits = LongStream.builder();
  private final LongStream.Builder held = LongStream.builder();
  private final LongStream.Builder starts = LongStream.builder();
  private final Random random;

  private boolean granting;
  private boolean counting;
  private boolean ended;
  private long grants;
  private long heldNanos;

  private JobRun(LimiterSubject subject, Loop loop, LimiterSubject.Place place, Job job) {
    this.subject = subject;
    this.loop = loop;
    this.place = place;
    this.job = job;
    this.random = new Random(place.ordinal());
  }

  /** Does the job; called on a thread that may block. */
  static JobReport of(LimiterSubject subject, Loop loop, LimiterSubject.Place place, Job job) {
    JobRun run = new JobRun(subject, loop, place, job);
    loop.run(run::begin);
    return run.done.join();
  }

  private void begin() {
    Load load = job.load();
    for (int i = 0; i < job.limiters(); i++) {
      Asks[] own = new Asks[1];
      Asks line =
          subject.open(
              job.way(), load + "-" + i, load.cap(), (ask, at) -> granted(own[0], ask, at));
      own[0] = line;
      lines.add(line);
    }
    for (Asks line : lines) {
      for (int i = 0; i < load.waiting(job.limiters()); i++) {
        ask(line, new Ask());
      }
    }
    if (load == Load.LIGHT) {
      come();
    }
  }

  /** Somebody comes, and the next one a while later. */
  private void come() {
    if (ended) {
      return;
    }
    ask(lines.getFirst(), new Ask());
    double gap = job.load().gapNanos(place.members()) * (0.5 + random.nextDouble());
    loop.after((long) gap, this::come);
  }

  private static void ask(Asks line, Ask ask) {
    ask.heldNanos = 0;
    ask.askedAt = System.nanoTime();
    line.ask(ask);
  }

  private void granted(Asks line, Ask ask, long at) {
    if (!granting) {
      granting = true;
      loop.after(job.warmMillis() * NANOS_PER_MILLI, this::count);
    }
    if (job.load().sampled()) {
      starts.add(at);
    }
    if (counting) {
      grants++;
      heldNanos += ask.heldNanos;
      if (job.load().sampled()) {
        waits.add(at - ask.askedAt);
        held.add(ask.heldNanos);
      }
    }
    if (job.load() != Load.LIGHT && !ended) {
      ask(line, ask);
    }
  }

  private void count() {
    counting = true;
    long cpu = cpuNanos();
    long began = System.nanoTime();
    loop.after(job.millis() * NANOS_PER_MILLI, () -> end(cpu, began));
  }

  private void end(long cpu, long began) {
    ended = true;
    double seconds = (System.nanoTime() - began) / NANOS_PER_SECOND;
    long used = cpuNanos() - cpu;
    long failed = lines.stream().mapToLong(Asks::failed).sum();
    lines.forEach(Asks::close);
    done.complete(
        new JobReport(
            grants,
            seconds,
            used,
            heldNanos,
            failed,
            waits.build().toArray(),
            held.build().toArray(),
            starts.build().toArray()));
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
