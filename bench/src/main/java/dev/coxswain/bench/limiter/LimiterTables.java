// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import static dev.coxswain.testing.report.Statistics.percentile;

import dev.coxswain.bench.run.Plan;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.testing.report.Columns;
import dev.coxswain.testing.report.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Measures limiters that several processes share, ours and the peer's. */
public final class LimiterTables {
  private static final double MILLI = 1e6;
  private static final double MICRO = 1e3;
  private static final double PERCENT = 100;

  /** How many limiters there are in the one measurement with many. */
  private static final int MANY = 100;

  private static final int WARM_UPS = 2;

  private final Plan plan;
  private final PrintStream out;
  private final long warmMillis;
  private final Map<Measured, List<JobReport>> found = new LinkedHashMap<>();

  /** What was measured: the kind of requests, with how many processes and limiters. */
  private record Measured(String way, int members, Load load, int limiters) {}

  private LimiterTables(Plan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
    this.warmMillis = plan.iterationTime().toMillis();
  }

  public static void limiter(Plan plan, PrintStream out) throws IOException {
    LimiterTables tables = new LimiterTables(plan, out);
    tables.measure(1);
    if (plan.members() > 1) {
      tables.measure(plan.members());
    }
    tables.speed();
    tables.waits();
    tables.caps();
  }

  private void measure(int members) throws IOException {
    List<LimiterCluster> clusters = new ArrayList<>();
    try {
      for (List<String> ways : LimiterSubject.WAYS) {
        clusters.add(LimiterCluster.start(ways.getFirst(), plan.limiterJvm(), members));
      }
      for (int i = 0; i < WARM_UPS; i++) {
        takeTurns(clusters, members, Load.FULL_SPEED, 1);
      }
      found.keySet().removeIf(key -> key.members == members); // the warm-ups
      for (int round = 0; round < plan.rounds(); round++) {
        takeTurns(clusters, members, Load.LIGHT, 1);
        takeTurns(clusters, members, Load.SATURATED, 1);
        takeTurns(clusters, members, Load.FULL_SPEED, 1);
      }
      // Last, since a member looks at each limiter that it has ever seen once in a second.
      for (int round = 0; round < plan.rounds(); round++) {
        takeTurns(clusters, members, Load.FULL_SPEED, MANY);
      }
    } finally {
      clusters.forEach(LimiterCluster::close);
    }
  }

  private void takeTurns(List<LimiterCluster> clusters, int members, Load load, int limiters)
      throws IOException {
    for (int i = 0; i < clusters.size(); i++) {
      for (String way : LimiterSubject.WAYS.get(i)) {
        if (load == Load.SATURATED && way.equals(LimiterSubject.COXSWAIN_CLAIM)) {
          continue; // claims have no lifetime of permits, so their starts have no meaning
        }
        JobRun.Job job = new JobRun.Job(way, load, limiters, warmMillis, 2 * warmMillis);
        found
            .computeIfAbsent(new Measured(way, members, load, limiters), _ -> new ArrayList<>())
            .add(clusters.get(i).run(job));
      }
    }
  }

  private void speed() {
    print(
        Load.FULL_SPEED,
        "grants in a second, 300 waiting in each member, cap %,.0f/s each"
            .formatted(Load.FULL_SPEED.rate()),
        key ->
            new Columns<JobReport>()
                .text("limiters", _ -> "" + key.limiters())
                .median("grants/s", 0, LimiterTables::rate)
                .median("of the cap %", 1, r -> ofCap(r, key))
                .median("loop ns each", 0, r -> (double) r.heldNanos() / r.grants())
                .median("cpu us each", 2, LimiterTables::cpuMicros)
                .greatest("over the cap", 0, r -> over(r, key)));
  }

  private void waits() {
    print(
        Load.LIGHT,
        "cap %,.0f/s, burst %d, 3/5 of that requested, one by one"
            .formatted(Load.LIGHT.rate(), Load.LIGHT.burst()),
        _ ->
            new Columns<JobReport>()
                .median("grants/s", 0, LimiterTables::rate)
                .median("request to grant p50 ms", 3, r -> percentile(r.waits(), 0.5) / MILLI)
                .median("p99 ms", 3, r -> percentile(r.waits(), 0.99) / MILLI)
                .median("loop us p50", 2, r -> percentile(r.held(), 0.5) / MICRO)
                .median("p99 us", 2, r -> percentile(r.held(), 0.99) / MICRO)
                .median("cpu us each", 1, LimiterTables::cpuMicros));
  }

  private void caps() {
    print(
        Load.SATURATED,
        "cap %,.0f/s, burst %d, 300 waiting in each member"
            .formatted(Load.LIGHT.rate(), Load.LIGHT.burst()),
        key ->
            new Columns<JobReport>()
                .median("of the cap %", 1, r -> ofCap(r, key))
                .greatest("worst window excess", 1, LimiterTables::excess)
                .median("loop us p50", 2, r -> percentile(r.held(), 0.5) / MICRO)
                .median("p99 us", 2, r -> percentile(r.held(), 0.99) / MICRO)
                .median("cpu us each", 1, LimiterTables::cpuMicros));
  }

  private void print(Load load, String title, Function<Measured, Columns<JobReport>> figures) {
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
    double each = key.load().burst() + key.load().rate() * report.seconds();
    return Math.max(0, report.grants() - key.limiters() * each);
  }

  private static double excess(JobReport report) {
    long[] starts = report.starts();
    return WindowChecker.worst(starts, starts.length, Load.LIGHT.rate(), Load.LIGHT.burst())
        .excess();
  }

  private static double ofCap(JobReport report, Measured key) {
    return rate(report) / (key.load().rate() * key.limiters()) * PERCENT;
  }

  private static double cpuMicros(JobReport report) {
    return report.cpuNanos() / MICRO / report.grants();
  }
}
