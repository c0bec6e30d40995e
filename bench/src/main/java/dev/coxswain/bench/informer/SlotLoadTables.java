// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.report.Columns;
import dev.coxswain.testing.report.RecordCodec;
import dev.coxswain.testing.report.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures what a replica reads with a tenth of the slots, divided by key and by namespace. */
public final class SlotLoadTables {
  private static final double MIB = 1 << 20;
  private static final double KIB = 1 << 10;

  private SlotLoadTables() {}

  public static void loads(Plan plan, PrintStream out) throws IOException {
    Map<String, List<SlotLoadProbe.Report>> reports = new LinkedHashMap<>();
    int objects = plan.pods();
    try (ApiServer server =
        ApiServer.with("-Xmx2g", SlotLoadProbe.Content.class, Integer.toString(objects))) {
      for (int round = 0; round < plan.rounds(); round++) {
        for (SlotDivision by : SlotDivision.values()) {
          String line =
              Commands.output(
                  Commands.java(Plan.JVM, SlotLoadProbe.class, server.uri().toString(), by));
          reports
              .computeIfAbsent(by.label(), _ -> new ArrayList<>())
              .add(RecordCodec.parse(SlotLoadProbe.Report.class, line));
        }
      }
    }
    Columns<SlotLoadProbe.Report> columns =
        new Columns<SlotLoadProbe.Report>()
            .median("start ms", 0, SlotLoadProbe.Report::startMillis)
            .median("start cpu ms", 0, SlotLoadProbe.Report::startCpuMillis)
            .median("start MiB", 1, r -> r.startBytes() / MIB)
            .median("load ms", 1, SlotLoadProbe.Report::loadMillis)
            .median("load cpu ms", 1, SlotLoadProbe.Report::loadCpuMillis)
            .median("load KiB", 0, r -> r.loadBytes() / KIB)
            .median("objects at last", 0, SlotLoadProbe.Report::objects);
    Table table = new Table();
    reports.forEach((subject, all) -> columns.row(table, all, "subject", subject));
    table.print(
        out,
        "loads: %,d ConfigMaps of 2 KB in %,d namespaces; start with 6 of 64 slots, then one more at a time, %d rounds"
            .formatted(objects, objects / SlotLoadProbe.OBJECTS_OF_A_NAMESPACE, plan.rounds()));
  }
}
