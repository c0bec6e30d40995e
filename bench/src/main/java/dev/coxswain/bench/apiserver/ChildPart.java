// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A part in a process of its own. One thread. */
final class ChildPart implements Part {
  private static final long STOP_LIMIT_SECONDS = 60;

  private final String name;
  private final Process process;
  private final BufferedReader out;
  private final OutputStreamWriter in;

  ChildPart(List<String> jvm, String name, List<String> arguments) throws IOException {
    this.name = name;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), PartMain.class.getName()));
    command.add(name);
    command.addAll(arguments);
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
  }

  @Override
  public String ask(String command) throws IOException {
    in.write(command + "\n");
    in.flush();
    String answer = out.readLine();
    if (answer == null) {
      throw new IOException("the process of \"" + name + "\" ended at \"" + command + "\"");
    }
    return answer;
  }

  @Override
  public void close() throws IOException {
    in.close();
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
