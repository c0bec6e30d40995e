// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import dev.coxswain.testing.process.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * The work of one member: it requests tokens, and another one for each grant.
 *
 * <p>Thread rule: confined to the event loop.
 */
final class JobRun {
  /** A task of all members at the same time; counts some time after the first grant. */
  record Job(String way, Load load, int limiters, long warmMillis, long millis) {}

  private static final double NANOS_PER_SECOND = 1e9;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Loop loop;
  private final LimiterSubject.Place place;
  private final Job job;
  private final LimiterSubject subject;
  private final List<TokenRequests> lines = new ArrayList<>();
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
      TokenRequests[] own = new TokenRequests[1];
      TokenRequests line =
          subject.open(
              job.way(), load + "-" + i, load, (request, at) -> granted(own[0], request, at));
      own[0] = line;
      lines.add(line);
    }
    for (TokenRequests line : lines) {
      for (int i = 0; i < load.waiting(job.limiters()); i++) {
        request(line, new TokenRequests.One());
      }
    }
    if (load == Load.LIGHT) {
      come();
    }
  }

  /** Makes a request, and the next one a while later. */
  private void come() {
    if (ended) {
      return;
    }
    request(lines.getFirst(), new TokenRequests.One());
    double gap = job.load().gapNanos(place.members()) * (0.5 + random.nextDouble());
    loop.after((long) gap, this::come);
  }

  private static void request(TokenRequests line, TokenRequests.One request) {
    request.heldNanos = 0;
    request.requestedAt = System.nanoTime();
    line.request(request);
  }

  private void granted(TokenRequests line, TokenRequests.One request, long at) {
    if (!granting) {
      granting = true;
      loop.after(job.warmMillis() * NANOS_PER_MILLI, this::count);
    }
    if (job.load().sampled()) {
      starts.add(at);
    }
    if (counting) {
      grants++;
      heldNanos += request.heldNanos;
      if (job.load().sampled()) {
        waits.add(at - request.requestedAt);
        held.add(request.heldNanos);
      }
    }
    if (job.load() != Load.LIGHT && !ended) {
      request(line, request);
    }
  }

  private void count() {
    counting = true;
    long cpu = Machine.cpuNanos();
    long began = System.nanoTime();
    loop.after(job.millis() * NANOS_PER_MILLI, () -> end(cpu, began));
  }

  private void end(long cpu, long began) {
    ended = true;
    double seconds = (System.nanoTime() - began) / NANOS_PER_SECOND;
    long used = Machine.cpuNanos() - cpu;
    long failed = lines.stream().mapToLong(TokenRequests::failed).sum();
    lines.forEach(TokenRequests::close);
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
}
