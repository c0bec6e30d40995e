// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.pods;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the processes of the measurement. */
final class PodProcesses {
  private final List<String> jvm;

  PodProcesses(List<String> jvm) {
    this.jvm = List.copyOf(jvm);
  }

  /** A server in a process of its own; ends with {@link #close}. */
  record Server(Process process, String url) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      process.getOutputStream().close();
    }
  }

  Server startServer(int pods) throws IOException {
    Process process =
        start(System.getProperty("java.class.path"), PodServer.class, List.of("" + pods));
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String url = out.readLine();
    if (url == null) {
      throw new IOException("the API server did not start");
    }
    return new Server(process, url);
  }

  /** Measures a subject that is on the class path given. */
  PodReport measure(String classPath, String subject, String url, int pods)
      throws IOException, InterruptedException {
    Process process = start(classPath, PodProbe.class, List.of(subject, url, "" + pods));
    process.getOutputStream().close();
    String printed =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    int status = process.waitFor();
    if (status != 0) {
      throw new IOException("measuring " + subject + " ended with " + status);
    }
    return PodReport.parse(printed);
  }

  private Process start(String classPath, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
