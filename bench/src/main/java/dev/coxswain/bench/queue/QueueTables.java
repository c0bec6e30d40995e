// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.bench.run.JmhRuns;
import dev.coxswain.bench.run.JmhRuns.Sample;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.testing.report.Columns;
import dev.coxswain.testing.report.Table;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/** Measures requests that are due now: the queue on one thread, and the intake from many. */
public final class QueueTables {
  private static final String SUBJECT = "subject";

  private QueueTables() {}

  public static void queue(Plan plan, PrintStream out) throws RunnerException {
    Map<String, Integer> keys = Map.of("keys", plan.items());
    String title = "queue, %s: add, get, done; one thread, %,d keys (budget: 50 ns, 0 B)";
    print(
        out,
        title.formatted("cycle", plan.items()),
        JmhRuns.run(plan, QueueBenchmark.class, "cycle", true, keys, SUBJECT),
        1);
    print(
        out,
        title.formatted("in+out", plan.items()),
        JmhRuns.run(plan, QueueBenchmark.class, "allInThenAllOut", false, keys, SUBJECT),
        plan.items());
  }

  static void print(
      PrintStream out, String title, Map<List<String>, List<Sample>> samples, int items) {
    List<Sample> first = samples.values().iterator().next();
    Columns<Sample> columns =
        new Columns<Sample>()
            .median("ns", 1, one -> one.nanos() / items)
            .ratio(first, Sample::nanos)
            .median("cpu ns", 1, one -> one.cpu() / items)
            .median("B", 1, one -> one.bytes() / items);
    Table table = new Table();
    samples.forEach((by, all) -> columns.row(table, all, SUBJECT, by.getFirst()));
    table.print(out, title);
  }

  public static void inbox(Plan plan, PrintStream out) throws RunnerException {
    Map<String, Integer> sizes = Map.of("adds", plan.items(), "keys", plan.inboxKeys());
    Columns<Sample> columns =
        new Columns<Sample>()
            .median("M/s", 2, one -> plan.items() / one.nanos() * 1e3)
            .median("cpu ns each", 1, one -> one.cpu() / plan.items())
            .median("B each", 1, one -> one.bytes() / plan.items());
    Table table = new Table();
    JmhRuns.run(plan, InboxBenchmark.class, "addAll", false, sizes, SUBJECT, "producers")
        .forEach((by, all) ->
            columns.row(table, all, SUBJECT, by.getFirst(), "producers", by.getLast()));
    table.print(
        out,
        "inbox: %,d adds over %,d keys until taken over (budget: 10 M/s with 4)"
            .formatted(plan.items(), plan.inboxKeys()));
  }
}
