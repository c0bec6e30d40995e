// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.FreePorts;
import dev.coxswain.testing.report.RecordCodec;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The members of one product, processes that do jobs together. */
record LimiterCluster(String way, List<Process> processes) implements AutoCloseable {
  /** Starts the members. */
  static LimiterCluster start(String way, List<String> jvm, int members) throws IOException {
    String ports =
        FreePorts.find(members).stream().map(String::valueOf).collect(Collectors.joining(","));
    LimiterCluster cluster = new LimiterCluster(way, new ArrayList<>());
    for (int i = 0; i < members; i++) {
      cluster.processes.add(Commands.java(jvm, LimiterProbe.class, way, i, ports).start());
    }
    for (Process process : cluster.processes) {
      String line = cluster.read(process);
      if (!line.equals(LimiterProbe.READY)) {
        cluster.close();
        throw new IOException("a member for " + way + " printed \"" + line + "\" at its start");
      }
    }
    return cluster;
  }

  /** Lets all members do a job at the same time, and adds up what they found. */
  JobReport run(JobRun.Job job) throws IOException {
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
