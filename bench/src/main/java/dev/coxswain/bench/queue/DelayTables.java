// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.bench.report.Columns;
import dev.coxswain.bench.report.Table;
import dev.coxswain.bench.run.Commands;
import dev.coxswain.bench.run.JmhRuns;
import dev.coxswain.bench.run.Plan;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/** Measures delayed requests: insertion, memory, completeness and lateness. */
public final class DelayTables {
  private final Plan plan;
  private final PrintStream out;

  public DelayTables(Plan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
  }

  public void insert() throws RunnerException {
    Map<List<String>, JmhRuns.Samples> measured =
        new JmhRuns(plan)
            .run(
                DelayedInsertBenchmark.class,
                "insertAll",
                false,
                Map.of("items", new String[] {Integer.toString(plan.items())}),
                "subject");
    Table table = new Table("subject", "insert ns", "ratio", "cpu ns", "allocated B");
    double first = Double.NaN;
    for (Map.Entry<List<String>, JmhRuns.Samples> entry : measured.entrySet()) {
      double nanos = entry.getValue().nanos() / plan.items();
      first = Double.isNaN(first) ? nanos : first;
      table.row(
          entry.getKey().getFirst(),
          Table.number(nanos, 1),
          Table.ratio(nanos, first),
          Table.number(entry.getValue().cpu() / plan.items(), 1),
          Table.number(entry.getValue().bytes() / plan.items(), 1));
    }
    table.print(
        out, "insert: %,d delayed items, one thread (budget: 75 ns)".formatted(plan.items()));
  }

  public void memory() throws IOException {
    Table table = new Table("subject", "compact headers B", "ordinary headers B");
    for (String subject :
        List.of(
            DelaySubject.COXSWAIN,
            DelaySubject.DELAY_QUEUE,
            DelaySubject.DELAY_QUEUE_AND_MAP,
            DelaySubject.OFFICIAL_JAVA)) {
      table.row(
          subject, Table.number(bytes(subject, true), 1), Table.number(bytes(subject, false), 1));
    }
    table.print(
        out,
        "memory: retained bytes for each of %,d delayed items besides its key (budget: 64 B)"
            .formatted(plan.items()));
  }

  private double bytes(String subject, boolean compact) throws IOException {
    if (plan.forks() == 0) {
      return DelayedMemory.bytesPerItem(subject, plan.items());
    }
    List<String> jvm = new ArrayList<>(Plan.JVM);
    jvm.add(compact ? "-XX:+UseCompactObjectHeaders" : "-XX:-UseCompactObjectHeaders");
    return Double.parseDouble(
        Commands.output(Commands.java(jvm, DelayedMemory.class, subject, plan.items())));
  }

  /** One round only: the question is whether anything is lost or early, not how fast it is. */
  public void million() {
    firings(
        "million: %,d items due within %,d ms through a whole controller (none lost, none early)"
            .formatted(plan.items(), plan.spread().toMillis()),
        plan.items(),
        plan.spread().multipliedBy(3).dividedBy(5),
        1,
        List.of(FiringSubject.COXSWAIN, FiringSubject.DELAY_QUEUE, FiringSubject.OFFICIAL_JAVA));
  }

  public void lateness() {
    firings(
        "lateness: %,d items due within %,d ms through a whole controller (budget: p50 0.2 ms, p99 1 ms)"
            .formatted(plan.lateItems(), plan.spread().toMillis()),
        plan.lateItems(),
        plan.spread().dividedBy(3),
        plan.rounds(),
        List.of(
            FiringSubject.COXSWAIN,
            FiringSubject.COXSWAIN_PACED,
            FiringSubject.COXSWAIN_BLOCKING,
            FiringSubject.DELAY_QUEUE,
            FiringSubject.OFFICIAL_JAVA_PACED));
  }

  private void firings(String title, int items, Duration lead, int rounds, List<String> subjects) {
    Map<String, List<DelayedFiring.Report>> reports = new LinkedHashMap<>();
    // A short one first, so that the compiler's work is not counted as lateness.
    for (String subject : subjects) {
      DelayedFiring.run(
          subject, items / 5, plan.spread().dividedBy(10), plan.spread().dividedBy(5));
    }
    for (int round = 0; round < rounds; round++) {
      for (String subject : subjects) {
        System.gc();
        reports
            .computeIfAbsent(subject, unknown -> new ArrayList<>())
            .add(DelayedFiring.run(subject, items, lead, plan.spread()));
      }
    }
    Columns<DelayedFiring.Report> columns =
        new Columns<DelayedFiring.Report>()
            .greatest("lost", 0, DelayedFiring.Report::lost)
            .greatest("early", 0, DelayedFiring.Report::early)
            .greatest("twice", 0, DelayedFiring.Report::repeated)
            .median("p50 ms", 3, DelayedFiring.Report::p50)
            .median("p99 ms", 3, DelayedFiring.Report::p99)
            .median("max ms", 3, DelayedFiring.Report::max)
            .median("cpu us each", 3, DelayedFiring.Report::cpuMicros);
    Table table = new Table();
    reports.forEach((subject, all) -> columns.row(table, all, "subject", subject));
    table.print(out, title);
  }
}
