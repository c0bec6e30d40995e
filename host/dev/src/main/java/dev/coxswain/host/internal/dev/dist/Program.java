// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.host.internal.jvm.AotTraining;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;

/**
 * Runs of other programs, each as long as it works.
 *
 * <p>Thread rule: any thread, which is blocked.
 */
public final class Program {

  /** Variables with flags of users for other JVMs. */
  private static final Set<String> FLAGS =
      Set.of("COXSWAIN_JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

  /** The last line of tar, after the one with the reason. */
  private static final String GIVEN_UP = "tar: Error is not recoverable: exiting now\n";

  private Program() {}

  /** Runs a program and returns its standard output. Fails with one line, which names a file with the rest. */
  public static String output(StallLimit limit, String... command) throws HostException {
    return output(limit, List.of(command));
  }

  /** Runs a program and returns its standard output. Fails with one line, which names a file with the rest. */
  static String output(StallLimit limit, List<String> command) throws HostException {
    String name = command.getFirst();
    try {
      Path log = Files.createTempFile("coxswain-dist-", ".log");
      Path results = Files.createTempFile("coxswain-dist-", ".txt");
      boolean keep = false;
      try {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LC_ALL", "C");
        builder.environment().keySet().removeAll(FLAGS);
        builder
            .redirectInput(Redirect.from(new File("/dev/null")))
            .redirectOutput(results.toFile())
            .redirectError(log.toFile());
        Process process = builder.start();
        Thread end = new Thread(() -> end(process), "end");
        Runtime.getRuntime().addShutdownHook(end);
        boolean ended = limit.awaitEnd(process);
        if (!ended) {
          end(process);
        }
        release(end);
        String output = Files.readString(results);
        if (ended && process.exitValue() == 0) {
          return output;
        }
        keep = true;
        Files.writeString(log, output, StandardOpenOption.APPEND);
        throw new HostException(
            (ended
                    ? "%s ended with exit code %s: %s"
                        .formatted(
                            shown(command),
                            process.exitValue(),
                            AotTraining.cause(Files.readString(log).replace(GIVEN_UP, "")))
                    : limit.exceeded(name).getMessage())
                + "; all of its output is in "
                + log);
      } finally {
        Files.deleteIfExists(results);
        if (!keep) {
          Files.deleteIfExists(log);
        }
      }
    } catch (IOException e) {
      throw new HostException(name + " cannot be run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HostException("interrupted while " + name + " was running", e);
    }
  }

  /** Returns the program, with the archive that tar reads. */
  private static String shown(List<String> command) {
    boolean archive = command.getFirst().equals("tar") && command.size() > 2;
    return String.join(" ", archive ? command.subList(0, 3) : command.subList(0, 1));
  }

  /** Ends a process and those that it has started. */
  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  /** Removes the hook of a process that has ended. */
  private static void release(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process ends, and the hook finds nothing to do.
    }
  }
}
