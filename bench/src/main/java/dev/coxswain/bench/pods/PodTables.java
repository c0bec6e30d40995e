// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.pods;

import dev.coxswain.bench.run.Medians;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.bench.run.Table;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Measures caches of many pods, ours and those of the peers. */
public final class PodTables {
  /** Set by {@code bench/run}: the class path of the peer that needs one of its own. */
  private static final String JOSDK_CLASS_PATH = "coxswain.bench.josdk";

  private static final double MIB = 1 << 20;
  private static final double KIB = 1 << 10;

  private final Plan plan;
  private final PrintStream out;

  public PodTables(Plan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
  }

  public void pods() throws Exception {
    PodRounds.Found found =
        plan.forks() == 0
            ? PodRounds.here(plan.pods())
            : PodRounds.inProcesses(
                Plan.JVM, System.getProperty(JOSDK_CLASS_PATH, ""), plan.rounds(), plan.pods());
    Map<String, List<PodReport>> reports = found.reports();
    Table table =
        new Table(
            "subject",
            "cold ms",
            "cold cpu ms",
            "warm ms",
            "warm cpu ms",
            "ratio",
            "allocated MiB",
            "ratio",
            "retained KiB each",
            "ratio");
    List<PodReport> first = reports.values().iterator().next();
    reports.forEach((subject, all) ->
        table.row(
            subject,
            Table.number(median(all, PodReport::coldMillis), 0),
            Table.number(median(all, PodReport::coldCpuMillis), 0),
            Table.number(median(all, PodReport::warmMillis), 0),
            Table.number(median(all, PodReport::warmCpuMillis), 0),
            ratio(all, first, PodReport::warmCpuMillis),
            Table.number(median(all, PodReport::allocatedBytes) / MIB, 1),
            ratio(all, first, PodReport::allocatedBytes),
            Table.number(median(all, PodReport::retainedBytes) / KIB / plan.pods(), 2),
            ratio(all, first, PodReport::retainedBytes)));
    table.print(
        out,
        "pods: %,d pods of %,d B, start of the cache to synced and a handler told of each, %d rounds"
            .formatted(plan.pods(), found.bytesOfPod(), plan.rounds()));
  }

  private static String ratio(
      List<PodReport> all, List<PodReport> first, ToDoubleFunction<PodReport> figure) {
    return Table.ratio(median(all, figure), median(first, figure));
  }

  private static double median(List<PodReport> all, ToDoubleFunction<PodReport> figure) {
    return Medians.of(all.stream().mapToDouble(figure).boxed().toList());
  }
}
