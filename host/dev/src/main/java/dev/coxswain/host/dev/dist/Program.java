// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev.dist;

import dev.coxswain.host.lifecycle.HostException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Runs of other programs, each with a limit of time.
 *
 * <p>Thread rule: any thread, which is blocked.
 */
final class Program {

  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** Variables with flags of users for other JVMs. */
  private static final Set<String> FLAGS =
      Set.of("COXSWAIN_JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

  private Program() {}

  /** Runs a program and returns its standard output. Fails with all of its output. */
  static String output(String... command) throws HostException {
    return output(List.of(command));
  }

  /** Runs a program and returns its standard output. Fails with all of its output. */
  static String output(List<String> command) throws HostException {
    String name = command.getFirst();
    try {
      Path errors = Files.createTempFile("coxswain-dist-", ".txt");
      try {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LC_ALL", "C");
        builder.environment().keySet().removeAll(FLAGS);
        builder.redirectInput(Redirect.from(new File("/dev/null"))).redirectError(errors.toFile());
        Process process = builder.start();
        Thread end = new Thread(() -> end(process), "end");
        Runtime.getRuntime().addShutdownHook(end);
        String output;
        try (InputStream in = process.getInputStream()) {
          output = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
          end(process);
          throw new HostException(name + " did not end within " + LIMIT.toMinutes() + " minutes");
        }
        release(end);
        if (process.exitValue() != 0) {
          throw new HostException(
              (name
                      + " ended with exit code "
                      + process.exitValue()
                      + "\n"
                      + output
                      + Files.readString(errors))
                  .strip());
        }
        return output;
      } finally {
        Files.deleteIfExists(errors);
      }
    } catch (IOException e) {
      throw new HostException(name + " cannot be run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HostException("interrupted while " + name + " was running", e);
    }
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
