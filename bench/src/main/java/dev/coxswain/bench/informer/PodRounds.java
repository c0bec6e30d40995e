// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.bench.report.RecordCodec;
import dev.coxswain.bench.run.Commands;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures all subjects in turn, several times. */
public final class PodRounds {

  /** The subjects on our own class path, by name. */
  private static final Map<String, Class<? extends PodSubject>> OWN = new LinkedHashMap<>();

  static {
    OWN.put("coxswain", CoxswainPods.class);
    OWN.put("coxswainReading", CoxswainPods.Reading.class);
    OWN.put("coxswainPages", CoxswainPods.Pages.class);
    OWN.put("officialJava", OfficialPods.class);
  }

  /** JOSDK's informer needs other versions of libraries; its module is next to this one. */
  private static final String JOSDK = "josdk";

  private static final String JOSDK_SUBJECT = "dev.coxswain.bench.josdk.JosdkPods";

  private PodRounds() {}

  /**
   * What was found.
   *
   * @param bytesOfPod the size of a pod as the server sends it, in bytes of JSON, on average
   * @param reports by subject, a report of each round
   */
  public record Found(long bytesOfPod, Map<String, List<PodReport>> reports) {}

  /**
   * Measures in processes.
   *
   * @param josdk the class path of the peer that needs one of its own; empty to leave it out
   */
  public static Found inProcesses(List<String> jvm, String josdk, int rounds, int pods)
      throws IOException {
    Map<String, List<PodReport>> reports = new LinkedHashMap<>();
    String own = System.getProperty("java.class.path");
    Process server = Commands.java(jvm, PodServer.class, pods).start();
    try {
      String url = server.inputReader().readLine();
      if (url == null) {
        throw new IOException("the API server did not start");
      }
      for (int round = 0; round < rounds; round++) {
        for (Map.Entry<String, Class<? extends PodSubject>> one : OWN.entrySet()) {
          add(reports, one.getKey(), measure(jvm, own, one.getValue().getName(), url, pods));
        }
        if (!josdk.isEmpty()) {
          add(reports, JOSDK, measure(jvm, josdk, JOSDK_SUBJECT, url, pods));
        }
      }
      return new Found(PodServer.bytesOfPod(url, pods), reports);
    } finally {
      server.getOutputStream().close(); // which ends it
    }
  }

  private static PodReport measure(
      List<String> jvm, String classPath, String subject, String url, int pods) throws IOException {
    String probe = PodProbe.class.getName();
    return RecordCodec.parse(
        PodReport.class, Commands.output(Commands.java(jvm, classPath, probe, subject, url, pods)));
  }

  /** Runs everything of our own class path once in this process; shows that it works. */
  public static Found here(int pods) throws ReflectiveOperationException, IOException {
    long bytes;
    Map<String, List<PodReport>> reports = new LinkedHashMap<>();
    try (EmbeddedApiServer server = PodServer.start(pods)) {
      bytes = PodServer.bytesOfPod(server.url(), pods);
      for (Map.Entry<String, Class<? extends PodSubject>> one : OWN.entrySet()) {
        add(reports, one.getKey(), PodProbe.measure(one.getValue().getName(), server.url(), pods));
      }
    }
    return new Found(bytes, reports);
  }

  private static void add(Map<String, List<PodReport>> reports, String subject, PodReport report) {
    reports.computeIfAbsent(subject, unknown -> new ArrayList<>()).add(report);
  }
}
