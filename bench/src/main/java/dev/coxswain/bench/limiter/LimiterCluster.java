// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    List<Integer> ports = freePorts(members);
    List<Process> processes = new ArrayList<>();
    List<BufferedReader> outputs = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvm);
      command.addAll(
          List.of("-cp", System.getProperty("java.class.path"), LimiterProbe.class.getName()));
      command.addAll(
          List.of(way, "" + i, String.join(",", ports.stream().map(Object::toString).toList())));
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      processes.add(process);
      outputs.add(
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
    }
    OfProcesses cluster = new OfProcesses(way, processes, outputs);
    for (BufferedReader output : outputs) {
      String said = cluster.read(output);
      if (!said.equals(LimiterProbe.READY)) {
        cluster.close();
        throw new IOException("a member for " + way + " said \"" + said + "\" at its start");
      }
    }
    return cluster;
  }

  /** Starts a single member in this process. */
  static LimiterCluster here(String way) throws IOException {
    LimiterSubject.Place place = new LimiterSubject.Place(0, freePorts(1));
    Vertx vertx = Vertx.vertx();
    Loop loop = Loop.create(vertx);
    return new Here(vertx, loop, place, LimiterSubject.start(way, loop, place));
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        ports.add(socket.getLocalPort());
      }
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
    return ports;
  }

  /** Members in processes of their own. */
  record OfProcesses(String way, List<Process> processes, List<BufferedReader> outputs)
      implements LimiterCluster {

    @Override
    public JobReport run(Job job) throws IOException {
      for (Process process : processes) {
        BufferedWriter in =
            new BufferedWriter(
                new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        in.write(job.line() + "\n");
        in.flush();
      }
      List<JobReport> reports = new ArrayList<>();
      for (BufferedReader output : outputs) {
        reports.add(JobReport.parse(read(output)));
      }
      return JobReport.sum(reports);
    }

    private String read(BufferedReader output) throws IOException {
      String line = output.readLine();
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
