// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.whole.WholeReport.Row;
import dev.coxswain.bench.whole.subject.SubjectSettings;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.Waits;
import dev.coxswain.testing.report.Statistics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures one process with many objects: their first reconciliation, updates, and retries.
 */
final class BusyRun {
  /** The namespace of its objects. */
  static final String NAMESPACE = "many";

  private static final int GAPS = 4;

  /** Longer than the first gaps together. */
  private static final int PAUSE_MILLIS = 400;

  private static final Duration RETRY_LIMIT = Duration.ofSeconds(60);

  private final WholePlan plan;
  private final MapWrites writes;
  private final WholeReport report;
  private final SubjectProcess process;
  private final String subject;
  private final String phases;
  private final int updates;

  /**
   * Creates the measurement of a process that was just started.
   *
   * @param phases the beginning of the names of its phases, which no other process has
   */
  BusyRun(
      WholePlan plan,
      MapWrites writes,
      WholeReport report,
      SubjectProcess process,
      String subject,
      String phases) {
    this.plan = plan;
    this.writes = writes;
    this.report = report;
    this.process = process;
    this.subject = subject;
    this.phases = phases;
    this.updates = updates(plan);
  }

  /** Returns how many objects are updated at full speed. */
  static int updates(WholePlan plan) {
    return Math.min(plan.number("updates"), plan.number("objects"));
  }

  void measure() throws IOException {
    fill();
    if (plan.has(WholePlan.UPDATES)) {
      String title = "%,d updates at full speed, ".formatted(updates);
      updates(new Row(WholePlan.UPDATES, title + "the first of the process"));
      updates(new Row(WholePlan.UPDATES + "-again", title + "once more"));
    }
    if (plan.has(WholePlan.PACED)) {
      paced();
    }
    if (plan.has(WholePlan.RETRIES)) {
      retries();
    }
  }

  private void fill() throws IOException {
    long created = process.event("created");
    long all = process.event("all");
    double cpu = process.figures().cpuSeconds();
    if (plan.has(WholePlan.FILL)) {
      Row row =
          new Row(
              WholePlan.FILL, "%,d ConfigMaps reconciled once".formatted(plan.number("objects")));
      add(row, "from the first controller, s", 2, (all - created) / 1e9);
      add(row, "from exec, s", 2, (all - process.begin()) / 1e9);
      add(row, "processor time, s", 2, cpu);
      add(row, "resident memory then, MiB", 0, process.figures().resident());
      add(row, "live heap then, MiB", 1, process.heap());
    }
  }

  private void updates(Row row) throws IOException {
    String phase = phases + row.id();
    double cpu = process.figures().cpuSeconds();
    process.expect(phase, updates);
    long[] took = writes.write(NAMESPACE, phase, updates, 0);
    process.event("all");
    double used = process.figures().cpuSeconds() - cpu;
    latencies(row, took);
    add(row, "processor time, s", 2, used);
  }

  private void paced() throws IOException {
    Row row = new Row(WholePlan.PACED, "%d updates a second".formatted(WholePlan.RATE));
    String phase = phases + "paced";
    int paced = Math.min(plan.number("paced") * WholePlan.RATE, plan.number("objects"));
    double cpu = process.figures().cpuSeconds();
    process.expect(phase, paced);
    long[] took = writes.write(NAMESPACE, phase, paced, WholePlan.RATE);
    process.event("all");
    double used = process.figures().cpuSeconds() - cpu;
    latencies(row, took);
    add(row, "processor time of an update, ms", 2, used * 1e3 / paced);
  }

  private void latencies(Row row, long[] writes) throws IOException {
    long[] all = process.latencies();
    add(row, "from the write to the reconciler, p50, ms", 2, Statistics.percentile(all, 0.5) / 1e6);
    add(
        row,
        "from the write to the reconciler, p99, ms",
        2,
        Statistics.percentile(all, 0.99) / 1e6);
    add(row, "the write itself, p50, ms", 2, Statistics.percentile(writes, 0.5) / 1e6);
    add(row, "the write itself, p99, ms", 2, Statistics.percentile(writes, 0.99) / 1e6);
  }

  /** The first objects warm up the code of failures. */
  private void retries() throws IOException {
    String phase = phases + "retries";
    process.expect(phase, Integer.MAX_VALUE);
    List<List<Double>> gaps = new ArrayList<>();
    for (int i = 0; i < GAPS; i++) {
      gaps.add(new ArrayList<>());
    }
    for (int i = 0; i < 2 * plan.number("failing"); i++) {
      String name = MapContent.name(i);
      writes.failing(NAMESPACE, name, phase, GAPS);
      Commands.pause(PAUSE_MILLIS);
      if (!Waits.until(RETRY_LIMIT, () -> process.attempts(name).length > GAPS)) {
        throw new IOException(
            subject + " made " + process.attempts(name).length + " attempts of " + name);
      }
      long[] attempts = process.attempts(name);
      for (int gap = 0; gap < GAPS && i >= plan.number("failing"); gap++) {
        gaps.get(gap).add((attempts[gap + 1] - attempts[gap]) / 1e6);
      }
    }
    Row row =
        new Row(
            WholePlan.RETRIES,
            "Gaps between the attempts of a failing object, backoff from %d ms"
                .formatted(SubjectSettings.BACKOFF_MILLIS));
    for (int gap = 0; gap < GAPS; gap++) {
      add(row, "gap %d, ms".formatted(gap + 1), 1, Statistics.median(gaps.get(gap)));
    }
  }

  private void add(Row row, String name, int decimals, double value) {
    report.add(row, name, decimals, subject, value);
  }
}
