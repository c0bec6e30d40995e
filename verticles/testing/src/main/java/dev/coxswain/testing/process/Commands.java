// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processes of the system: commands, and JVMs with a class path of ours.
 *
 * <p>Thread rule: any thread; calls block.
 */
public final class Commands {

  private Commands() {}

  /**
   * Runs a command to its end and returns what it printed.
   *
   * @throws IOException when it fails; the message holds the output
   */
  public static String run(String... command) throws IOException {
    return output(new ProcessBuilder(command).redirectErrorStream(true));
  }

  /** Does the same with a command that was prepared. */
  public static String output(ProcessBuilder command) throws IOException {
    Process process = command.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = await(process);
    if (code != 0) {
      throw new IOException(
          String.join(" ", command.command()) + " ended with " + code + ": " + output.strip());
    }
    return output.strip();
  }

  /** Prepares a JVM that runs a main class; its errors go where ours go. */
  public static ProcessBuilder java(
      List<String> jvm, String classPath, String main, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(List.of("-cp", classPath, main));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** Prepares the same with the class path of this process. */
  public static ProcessBuilder java(List<String> jvm, Class<?> main, Object... arguments) {
    return java(jvm, System.getProperty("java.class.path"), main.getName(), arguments);
  }

  /** Waits for the end of a process and returns its exit code. */
  public static int await(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Waits for the end of a process and ends it by force when that takes too long. */
  public static boolean await(Process process, long seconds) throws IOException {
    try {
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    return false;
  }

  /** Lets time pass: what is watched are other processes, which cannot call back. */
  public static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
