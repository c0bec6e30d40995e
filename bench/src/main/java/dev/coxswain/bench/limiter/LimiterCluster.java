// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import static java.util.stream.Collectors.joining;

import dev.coxswain.bench.report.RecordCodec;
import dev.coxswain.bench.run.Commands;
import io.vertx.core.Vertx;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The members of one product, which do jobs together. */
interface LimiterCluster extends AutoCloseable {

  /** Lets all members do a job at the same time, and adds up what they found. */
  JobReport run(Job job) throws IOException;

  @Override
  void close() throws IOException;

  /** Starts a cluster of processes. */
  static LimiterCluster ofProcesses(String way, List<String> jvm, int members) throws IOException {
    String ports = Commands.freePorts(members).stream().map(String::valueOf).collect(joining(","));
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      processes.add(Commands.java(jvm, LimiterProbe.class, way, i, ports).start());
    }
    OfProcesses cluster = new OfProcesses(way, processes);
    for (Process process : processes) {
      String line = cluster.read(process);
      if (!line.equals(LimiterProbe.READY)) {
        cluster.close();
        throw new IOException("a member for " + way + " printed \"" + line + "\" at its start");
      }
    }
    return cluster;
  }

  /** Starts a single member in this process. */
  static LimiterCluster here(String way) throws IOException {
    LimiterSubject.Place place = new LimiterSubject.Place(0, Commands.freePorts(1));
    Vertx vertx = Vertx.vertx();
    Loop loop = Loop.create(vertx);
    return new Here(vertx, loop, place, LimiterSubject.start(way, loop, place));
  }

  /** Members in processes of their own. */
  record OfProcesses(String way, List<Process> processes) implements LimiterCluster {

    @Override
    public JobReport run(Job job) throws IOException {
      for (Process process : processes) {
        BufferedWriter in = process.outputWriter(StandardCharsets.UTF_8);
        in.write(RecordCodec.line(job) + "\n");
        in.flush();
      }
      List<JobReport> reports = new ArrayList<>();
      for (Process process : processes) {
        reports.add(RecordCodec.parse(JobReport.class, read(process)));
      }
      return JobReport.sum(reports);
    }

    private String read(Process process) throws IOException {
      String line = process.inputReader(StandardCharsets.UTF_8).readLine();
      if (line == null) {
        throw new IOException("a member for " + way + " has ended");
      }
      return line;
    }

    @Override
    public void close() {
      processes.forEach(Process::destroyForcibly);
    }
  }

  /** One member in this process. */
  record Here(Vertx vertx, Loop loop, LimiterSubject.Place place, LimiterSubject subject)
      implements LimiterCluster {

    @Override
    public JobReport run(Job job) {
      return JobReport.sum(List.of(JobRun.of(subject, loop, place, job)));
    }

    @Override
    public void close() {
      subject.close();
      vertx.close().await();
    }
  }
}
