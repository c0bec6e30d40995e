// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.testing.process.Machine;
import dev.coxswain.testing.report.Statistics;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Delays many requests and records the start of each: none may be missing, none early, none twice. Lateness is counted from the time that the caller requested.
 */
final class DelayedFiring {
  /** What is missing this long after the last due time is lost. */
  private static final long PATIENCE = 10_000_000_000L;

  private DelayedFiring() {}

  /**
   * What happened; lateness in milliseconds, of those that were not early.
   *
   * @param cpuMicros the processor time of the whole process for each request, inserting included
   */
  record Report(
      int items,
      int lost,
      int repeated,
      int early,
      double p50,
      double p99,
      double max,
      double cpuMicros) {}

  /** Runs once: until the first is due it takes {@code lead}, until the last {@code spread} more. */
  static Report run(String subject, int items, Duration lead, Duration spread) {
    AtomicLongArray startedAt = new AtomicLongArray(items);
    AtomicInteger started = new AtomicInteger();
    AtomicInteger repeated = new AtomicInteger();
    try (Delays<Delays.Numbered> queue =
        Delays.starting(
            subject,
            key -> {
              int number = key.number();
              long now = System.nanoTime();
              if (startedAt.compareAndSet(number, 0, now == 0 ? 1 : now)) {
                started.incrementAndGet();
              } else {
                repeated.incrementAndGet();
              }
            })) {
      long cpu = Machine.cpuNanos();
      long[] due = Keys.times(items, System.nanoTime() + lead.toNanos(), spread.toNanos());
      for (int i = 0; i < items; i++) {
        queue.addAfter(new Delays.Numbered(i), due[i] - System.nanoTime());
      }
      long end = Arrays.stream(due).max().orElseThrow() + PATIENCE;
      while (started.get() < items && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(10_000_000);
      }
      double cpuMicros = (Machine.cpuNanos() - cpu) / 1e3 / items;
      return report(items, due, startedAt, repeated.get(), cpuMicros);
    }
  }

  private static Report report(
      int items, long[] due, AtomicLongArray startedAt, int repeated, double cpuMicros) {
    long[] late = new long[items];
    int count = 0;
    int early = 0;
    int lost = 0;
    for (int i = 0; i < items; i++) {
      long at = startedAt.get(i);
      if (at == 0) {
        lost++;
      } else if (at - due[i] < 0) {
        early++;
      } else {
        late[count++] = at - due[i];
      }
    }
    long[] sorted = Arrays.copyOf(late, count);
    Arrays.sort(sorted);
    return new Report(
        items,
        lost,
        repeated,
        early,
        Statistics.percentile(sorted, 0.50) / 1e6,
        Statistics.percentile(sorted, 0.99) / 1e6,
        Statistics.percentile(sorted, 1) / 1e6,
        cpuMicros);
  }
}
