// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.bench.run.JmhRuns;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.report.Columns;
import dev.coxswain.testing.report.Table;
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
  private DelayTables() {}

  public static void insert(Plan plan, PrintStream out) throws RunnerException {
    QueueTables.print(
        out,
        "insert: %,d delayed items, one thread (budget: 75 ns)".formatted(plan.items()),
        JmhRuns.run(
            plan,
            DelayedInsertBenchmark.class,
            "insertAll",
            false,
            Map.of("items", plan.items()),
            "subject"),
        plan.items());
  }

  public static void memory(Plan plan, PrintStream out) throws IOException {
    Table table = new Table("subject", "compact headers B", "ordinary headers B");
    for (String subject :
        List.of(
            Delays.COXSWAIN,
            Delays.DELAY_QUEUE,
            Delays.DELAY_QUEUE_AND_MAP,
            Delays.OFFICIAL_JAVA)) {
      table.row(
          subject,
          Table.number(bytes(plan, subject, true), 1),
          Table.number(bytes(plan, subject, false), 1));
    }
    table.print(
        out,
        "memory: retained bytes for each of %,d delayed items besides its key (budget: 64 B)"
            .formatted(plan.items()));
  }

  private static double bytes(Plan plan, String subject, boolean compact) throws IOException {
    List<String> jvm = new ArrayList<>(Plan.JVM);
    jvm.add(compact ? "-XX:+UseCompactObjectHeaders" : "-XX:-UseCompactObjectHeaders");
    return Double.parseDouble(
        Commands.output(Commands.java(jvm, DelayedMemory.class, subject, plan.items())));
  }

  /** One round only: the question is whether anything is lost or early, not how fast it is. */
  public static void million(Plan plan, PrintStream out) {
    firings(
        plan,
        out,
        "million: %,d items due within %,d ms through a whole controller (none lost, none early)"
            .formatted(plan.items(), plan.spread().toMillis()),
        plan.items(),
        plan.spread().multipliedBy(3).dividedBy(5),
        1,
        List.of(Delays.COXSWAIN, Delays.DELAY_QUEUE, Delays.OFFICIAL_JAVA));
  }

  public static void lateness(Plan plan, PrintStream out) {
    firings(
        plan,
        out,
        "lateness: %,d items due within %,d ms through a whole controller (budget: p50 0.2 ms, p99 1 ms)"
            .formatted(plan.lateItems(), plan.spread().toMillis()),
        plan.lateItems(),
        plan.spread().dividedBy(3),
        plan.rounds(),
        List.of(
            Delays.COXSWAIN,
            Delays.COXSWAIN_PACED,
            Delays.COXSWAIN_BLOCKING,
            Delays.DELAY_QUEUE,
            Delays.OFFICIAL_JAVA_PACED));
  }

  private static void firings(
      Plan plan,
      PrintStream out,
      String title,
      int items,
      Duration lead,
      int rounds,
      List<String> subjects) {
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
