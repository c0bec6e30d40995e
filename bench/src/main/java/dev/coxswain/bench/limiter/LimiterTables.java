// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import dev.coxswain.bench.limiter.LimiterRounds.Measured;
import dev.coxswain.bench.run.Medians;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.bench.run.Table;
import dev.coxswain.retry.WindowChecker;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Measures limiters that several processes share, ours and the peer's. */
public final class LimiterTables {
  private static final double MILLI = 1e6;
  private static final double MICRO = 1e3;
  private static final double PERCENT = 100;

  private final Plan plan;
  private final PrintStream out;

  public LimiterTables(Plan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
  }

  public void limiter() throws IOException {
    long warmMillis = plan.iterationTime().toMillis();
    Map<Measured, List<JobReport>> found =
        plan.forks() == 0
            ? LimiterRounds.here(warmMillis, warmMillis)
            : LimiterRounds.inProcesses(
                plan.limiterJvm(), plan.rounds(), warmMillis, 2 * warmMillis);
    speed(found);
    waits(found);
    caps(found);
  }

  private void speed(Map<Measured, List<JobReport>> found) {
    Table table =
        new Table(
            "subject",
            "members",
            "limiters",
            "grants/s",
            "of the cap %",
            "loop ns each",
            "cpu us each",
            "over the cap",
            "failed");
    found.forEach((key, reports) -> {
      if (key.load() == Load.FULL_SPEED) {
        double cap = key.load().cap().rate() * key.limiters();
        table.row(
            key.way(),
            "" + key.members(),
            "" + key.limiters(),
            Table.number(median(reports, LimiterTables::rate), 0),
            Table.number(median(reports, LimiterTables::rate) / cap * PERCENT, 1),
            Table.number(median(reports, r -> (double) r.heldNanos() / r.grants()), 0),
            Table.number(median(reports, r -> r.cpuNanos() / MICRO / r.grants()), 2),
            Table.number(reports.stream().mapToDouble(r -> over(r, key)).max().orElse(0), 0),
            "" + failed(reports));
      }
    });
    table.print(
        out,
        "limiter: grants in a second, 300 waiting in each member, cap %,.0f/s each, %d rounds"
            .formatted(Cap.MOST.rate(), plan.rounds()));
  }

  private void waits(Map<Measured, List<JobReport>> found) {
    Table table =
        new Table(
            "subject",
            "members",
            "grants/s",
            "ask to grant p50 ms",
            "p99 ms",
            "loop us p50",
            "p99 us",
            "cpu us each",
            "failed");
    found.forEach((key, reports) -> {
      if (key.load() == Load.LIGHT) {
        table.row(
            key.way(),
            "" + key.members(),
            Table.number(median(reports, LimiterTables::rate), 0),
            Table.number(median(reports, r -> JobReport.percentile(r.waits(), 0.5)) / MILLI, 3),
            Table.number(median(reports, r -> JobReport.percentile(r.waits(), 0.99)) / MILLI, 3),
            Table.number(median(reports, r -> JobReport.percentile(r.held(), 0.5)) / MICRO, 2),
            Table.number(median(reports, r -> JobReport.percentile(r.held(), 0.99)) / MICRO, 2),
            Table.number(median(reports, r -> r.cpuNanos() / MICRO / r.grants()), 1),
            "" + failed(reports));
      }
    });
    table.print(
        out,
        "limiter: cap %,.0f/s, burst %d, 3/5 of that asked for, one by one, %d rounds"
            .formatted(Cap.REALISTIC.rate(), Cap.REALISTIC.burst(), plan.rounds()));
  }

  private void caps(Map<Measured, List<JobReport>> found) {
    Table table =
        new Table(
            "subject",
            "members",
            "of the cap %",
            "worst window excess",
            "loop us p50",
            "p99 us",
            "cpu us each",
            "failed");
    found.forEach((key, reports) -> {
      if (key.load() == Load.SATURATED) {
        table.row(
            key.way(),
            "" + key.members(),
            Table.number(median(reports, LimiterTables::rate) / Cap.REALISTIC.rate() * PERCENT, 1),
            Table.number(reports.stream().mapToDouble(LimiterTables::excess).max().orElse(0), 1),
            Table.number(median(reports, r -> JobReport.percentile(r.held(), 0.5)) / MICRO, 2),
            Table.number(median(reports, r -> JobReport.percentile(r.held(), 0.99)) / MICRO, 2),
            Table.number(median(reports, r -> r.cpuNanos() / MICRO / r.grants()), 1),
            "" + failed(reports));
      }
    });
    table.print(
        out,
        "limiter: cap %,.0f/s, burst %d, 300 waiting in each member, %d rounds"
            .formatted(Cap.REALISTIC.rate(), Cap.REALISTIC.burst(), plan.rounds()));
  }

  private static double rate(JobReport report) {
    return report.grants() / report.seconds();
  }

  /** Returns by how many the cap was exceeded in the time that was measured; 0 when it was kept. */
  private static double over(JobReport report, Measured key) {
    Cap cap = key.load().cap();
    double allowed = key.limiters() * (cap.burst() + cap.rate() * report.seconds());
    return Math.max(0, report.grants() - allowed);
  }

  private static double excess(JobReport report) {
    long[] starts = report.starts();
    return WindowChecker.worst(starts, starts.length, Cap.REALISTIC.rate(), Cap.REALISTIC.burst())
        .excess();
  }

  private static long failed(List<JobReport> reports) {
    return reports.stream().mapToLong(JobReport::failed).sum();
  }

  private static double median(List<JobReport> reports, ToDoubleFunction<JobReport> figure) {
    return Medians.of(reports.stream().mapToDouble(figure).boxed().toList());
  }
}
