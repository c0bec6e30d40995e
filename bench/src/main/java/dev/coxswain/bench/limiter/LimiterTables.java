// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import static dev.coxswain.bench.report.Statistics.percentile;

import dev.coxswain.bench.limiter.LimiterRounds.Measured;
import dev.coxswain.bench.report.Columns;
import dev.coxswain.bench.report.Table;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.retry.WindowChecker;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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
    print(
        found,
        Load.FULL_SPEED,
        "grants in a second, 300 waiting in each member, cap %,.0f/s each"
            .formatted(Cap.MOST.rate()),
        key ->
            new Columns<JobReport>()
                .text("limiters", _ -> "" + key.limiters())
                .median("grants/s", 0, LimiterTables::rate)
                .median("of the cap %", 1, r -> ofCap(r, key))
                .median("loop ns each", 0, r -> (double) r.heldNanos() / r.grants())
                .median("cpu us each", 2, LimiterTables::cpuMicros)
                .greatest("over the cap", 0, r -> over(r, key)));
  }

  private void waits(Map<Measured, List<JobReport>> found) {
    print(
        found,
        Load.LIGHT,
        "cap %,.0f/s, burst %d, 3/5 of that requested, one by one"
            .formatted(Cap.REALISTIC.rate(), Cap.REALISTIC.burst()),
        _ ->
            new Columns<JobReport>()
                .median("grants/s", 0, LimiterTables::rate)
                .median("request to grant p50 ms", 3, r -> percentile(r.waits(), 0.5) / MILLI)
                .median("p99 ms", 3, r -> percentile(r.waits(), 0.99) / MILLI)
                .median("loop us p50", 2, r -> percentile(r.held(), 0.5) / MICRO)
                .median("p99 us", 2, r -> percentile(r.held(), 0.99) / MICRO)
                .median("cpu us each", 1, LimiterTables::cpuMicros));
  }

  private void caps(Map<Measured, List<JobReport>> found) {
    print(
        found,
        Load.SATURATED,
        "cap %,.0f/s, burst %d, 300 waiting in each member"
            .formatted(Cap.REALISTIC.rate(), Cap.REALISTIC.burst()),
        key ->
            new Columns<JobReport>()
                .median("of the cap %", 1, r -> ofCap(r, key))
                .greatest("worst window excess", 1, LimiterTables::excess)
                .median("loop us p50", 2, r -> percentile(r.held(), 0.5) / MICRO)
                .median("p99 us", 2, r -> percentile(r.held(), 0.99) / MICRO)
                .median("cpu us each", 1, LimiterTables::cpuMicros));
  }

  private void print(
      Map<Measured, List<JobReport>> found,
      Load load,
      String title,
      Function<Measured, Columns<JobReport>> figures) {
    Table table = new Table();
    found.forEach((key, reports) -> {
      if (key.load() == load) {
        Columns<JobReport> columns = figures.apply(key).sum("failed", JobReport::failed);
        columns.row(table, reports, "subject", key.way(), "members", "" + key.members());
      }
    });
    table.print(out, "limiter: %s, %d rounds".formatted(title, plan.rounds()));
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

  private static double ofCap(JobReport report, Measured key) {
    return rate(report) / (key.load().cap().rate() * key.limiters()) * PERCENT;
  }

  private static double cpuMicros(JobReport report) {
    return report.cpuNanos() / MICRO / report.grants();
  }
}
