// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.bench.report.Columns;
import dev.coxswain.bench.report.Table;
import dev.coxswain.bench.run.Plan;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

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
    List<PodReport> first = reports.values().iterator().next();
    Columns<PodReport> columns =
        new Columns<PodReport>()
            .median("cold ms", 0, PodReport::coldMillis)
            .median("cold cpu ms", 0, PodReport::coldCpuMillis)
            .median("warm ms", 0, PodReport::warmMillis)
            .median("warm cpu ms", 0, PodReport::warmCpuMillis)
            .ratio(first, PodReport::warmCpuMillis)
            .median("allocated MiB", 1, r -> r.allocatedBytes() / MIB)
            .ratio(first, PodReport::allocatedBytes)
            .median("retained KiB each", 2, r -> r.retainedBytes() / KIB / plan.pods())
            .ratio(first, PodReport::retainedBytes);
    Table table = new Table();
    reports.forEach((subject, all) -> columns.row(table, all, "subject", subject));
    table.print(
        out,
        "pods: %,d pods of %,d B, start of the cache to synced and each delivered to a handler, %d rounds"
            .formatted(plan.pods(), found.bytesOfPod(), plan.rounds()));
  }
}
