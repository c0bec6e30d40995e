// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.bench.run.ApiServer;
import dev.coxswain.bench.run.Plan;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.HttpCalls;
import dev.coxswain.testing.report.Columns;
import dev.coxswain.testing.report.RecordCodec;
import dev.coxswain.testing.report.Table;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures caches of many pods, ours and those of the peers: all in turn, several times. */
public final class PodTables {
  /** Set by {@code bench/run}: the class path of the peer that needs other versions of libraries. */
  private static final String JOSDK_CLASS_PATH = "coxswain.bench.josdk";

  private static final double MIB = 1 << 20;
  private static final double KIB = 1 << 10;

  private PodTables() {}

  public static void pods(Plan plan, PrintStream out) throws IOException {
    String own = System.getProperty("java.class.path");
    String josdk = System.getProperty(JOSDK_CLASS_PATH, "");
    String pods = Integer.toString(plan.pods());
    Map<String, List<PodReport>> reports = new LinkedHashMap<>();
    long bytesOfPod;
    try (ApiServer server = ApiServer.with("-Xmx2g", PodJson.class, pods)) {
      String url = server.uri().toString();
      for (int round = 0; round < plan.rounds(); round++) {
        measure(reports, "coxswain", own, CoxswainPods.class.getName(), url, pods);
        measure(reports, "coxswainReading", own, CoxswainPods.Reading.class.getName(), url, pods);
        measure(reports, "coxswainPages", own, CoxswainPods.Pages.class.getName(), url, pods);
        measure(reports, "officialJava", own, OfficialPods.class.getName(), url, pods);
        if (!josdk.isEmpty()) {
          measure(reports, "josdk", josdk, "dev.coxswain.bench.josdk.JosdkPods", url, pods);
        }
      }
      try (InputStream list =
          new HttpCalls(server.uri()).open("/api/v1/pods", "application/json")) {
        bytesOfPod = list.readAllBytes().length / plan.pods();
      }
    }
    print(plan, bytesOfPod, reports, out);
  }

  private static void measure(
      Map<String, List<PodReport>> reports,
      String name,
      String classPath,
      String subject,
      String url,
      String pods)
      throws IOException {
    String line =
        Commands.output(
            Commands.java(Plan.JVM, classPath, PodProbe.class.getName(), subject, url, pods));
    reports
        .computeIfAbsent(name, _ -> new ArrayList<>())
        .add(RecordCodec.parse(PodReport.class, line));
  }

  private static void print(
      Plan plan, long bytesOfPod, Map<String, List<PodReport>> reports, PrintStream out) {
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
            .formatted(plan.pods(), bytesOfPod, plan.rounds()));
  }
}
