// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.bench.run.Plan;
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

/**
 * Measures what the events of a watch cost that a filtered cache drops, beside those that it keeps,
 * and beside a client that reads bytes alone.
 */
public final class ForeignTables {
  private ForeignTables() {}

  public static void foreign(Plan plan, PrintStream out) throws IOException {
    table(
        plan,
        false,
        List.of("okhttp", "okhttpUnlimited", "socket", "foreign", "foreignByOwner", "kept"),
        out);
    table(
        plan, true, List.of("okhttp", "okhttpUnlimited", "foreign", "foreignByOwner", "kept"), out);
  }

  /**
   * Returns the flags of the measured processes: with the compiler of a host, and with a heap that
   * begins as small as that of one. In a heap of 2 GiB each event is written to memory that was never
   * used before.
   */
  private static List<String> jvm() {
    List<String> flags = new ArrayList<>(Plan.JVM);
    flags.removeIf(flag -> flag.startsWith("-Xm"));
    flags.addAll(List.of("-Xms32m", "-Xmx512m", "-XX:TieredStopAtLevel=1"));
    return flags;
  }

  private static void table(Plan plan, boolean tls, List<String> subjects, PrintStream out)
      throws IOException {
    Map<String, List<ForeignReport>> reports = new LinkedHashMap<>();
    int events = plan.items() / 400;
    try (EventServer server = EventServer.start(tls)) {
      for (int round = 0; round < plan.rounds(); round++) {
        for (String subject : subjects) {
          String line =
              Commands.output(
                  Commands.java(
                      jvm(), ForeignProbe.class, subject, server.url, server.commands, events));
          reports
              .computeIfAbsent(subject, _ -> new ArrayList<>())
              .add(RecordCodec.parse(ForeignReport.class, line));
        }
      }
    }
    Columns<ForeignReport> columns =
        new Columns<ForeignReport>()
            .median("cold cpu ms", 0, ForeignReport::coldMillis)
            .median("cpu ms", 0, ForeignReport::pacedMillis)
            .median("B each", 0, ForeignReport::pacedBytes)
            .median("wake-ups each", 1, ForeignReport::pacedSwitches)
            .median("drained cpu ms", 1, ForeignReport::drainedMillis)
            .median("drained B each", 0, ForeignReport::drainedBytes);
    Table table = new Table();
    reports.forEach((subject, all) -> columns.row(table, all, "subject", subject));
    table.print(
        out,
        "foreign: 1,000 events of %,.0f B, %s, one by one and at once, %d rounds"
            .formatted(
                reports.values().iterator().next().getFirst().eventBytes(),
                tls ? "HTTP/2 with TLS" : "HTTP/1.1",
                plan.rounds()));
  }
}
