// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.bench.report.Table;
import dev.coxswain.bench.run.JmhRuns;
import dev.coxswain.bench.run.Plan;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/** Measures requests that are due now: the queue on one thread, and the intake from many. */
public final class QueueTables {
  private final Plan plan;
  private final PrintStream out;

  public QueueTables(Plan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
  }

  public void queue() throws RunnerException {
    JmhRuns runs = new JmhRuns(plan);
    Map<String, String[]> keys = Map.of("keys", sizes(plan.items()));
    Map<List<String>, JmhRuns.Samples> cycle =
        runs.run(QueueBenchmark.class, "cycle", true, keys, "subject");
    Map<List<String>, JmhRuns.Samples> all =
        runs.run(QueueBenchmark.class, "allInThenAllOut", false, keys, "subject");
    Table table =
        new Table(
            "subject", "cycle ns", "ratio", "cpu ns", "B", "in+out ns", "ratio", "cpu ns", "B");
    double firstCycle = Double.NaN;
    double firstAll = Double.NaN;
    for (List<String> subject : cycle.keySet()) {
      JmhRuns.Samples c = cycle.get(subject);
      JmhRuns.Samples a = all.get(subject);
      if (c == null || a == null) {
        continue;
      }
      double perItem = a.nanos() / plan.items();
      firstCycle = Double.isNaN(firstCycle) ? c.nanos() : firstCycle;
      firstAll = Double.isNaN(firstAll) ? perItem : firstAll;
      table.row(
          subject.getFirst(),
          Table.number(c.nanos(), 1),
          Table.ratio(c.nanos(), firstCycle),
          Table.number(c.cpu(), 1),
          Table.number(c.bytes(), 1),
          Table.number(perItem, 1),
          Table.ratio(perItem, firstAll),
          Table.number(a.cpu() / plan.items(), 1),
          Table.number(a.bytes() / plan.items(), 1));
    }
    table.print(
        out,
        "queue: add, get, done; one thread, %,d keys (budget: 50 ns, 0 B)".formatted(plan.items()));
  }

  public void inbox() throws RunnerException {
    Map<List<String>, JmhRuns.Samples> measured =
        new JmhRuns(plan)
            .run(
                InboxBenchmark.class,
                "addAll",
                false,
                Map.of("adds", sizes(plan.items()), "keys", sizes(plan.inboxKeys())),
                "subject",
                "producers");
    Table table =
        new Table(
            "subject",
            "1 producer M/s",
            "cpu ns each",
            "B each",
            "4 producers M/s",
            "cpu ns each",
            "B each");
    for (List<String> key : measured.keySet()) {
      if (!key.getLast().equals("1")) {
        continue;
      }
      JmhRuns.Samples one = measured.get(key);
      JmhRuns.Samples four = measured.get(List.of(key.getFirst(), "4"));
      if (one == null || four == null) {
        continue;
      }
      table.row(
          key.getFirst(),
          Table.number(plan.items() / one.nanos() * 1e3, 2),
          Table.number(one.cpu() / plan.items(), 1),
          Table.number(one.bytes() / plan.items(), 1),
          Table.number(plan.items() / four.nanos() * 1e3, 2),
          Table.number(four.cpu() / plan.items(), 1),
          Table.number(four.bytes() / plan.items(), 1));
    }
    table.print(
        out,
        "inbox: %,d adds over %,d keys until taken over (budget: 10 M/s with 4)"
            .formatted(plan.items(), plan.inboxKeys()));
  }

  private static String[] sizes(int size) {
    return new String[] {Integer.toString(size)};
  }
}
