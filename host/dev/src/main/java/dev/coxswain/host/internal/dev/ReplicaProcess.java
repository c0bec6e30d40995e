// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.jvm.HostJvm;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A replica as a child process. Its standard input stays open without data: when this process ends
 * in any way, the child reads the end of its input and stops. Its standard output has the
 * report, after a line for each step of its start; its log is on the standard error, and is passed on.
 *
 * <p>Thread rule: any thread; {@link #awaitReady} and {@link #awaitEnd} block.
 */
public final class ReplicaProcess {

  private static final Duration LOG_LIMIT = Duration.ofMillis(200);

  /** The wait for the end of a killed process, on a busy machine. */
  private static final Duration KILL_LIMIT = Duration.ofMillis(500);

  private final String name;
  private final Process process;
  private final Thread log;
  private final CompletableFuture<ReplicaReport> report = new CompletableFuture<>();

  /** The step of the start that ended last, and when. Written by the thread that reads the report. */
  private volatile Step step = new Step("none", System.nanoTime());

  /** Whether the child has printed why it ended. Written by the thread that copies the log. */
  private volatile boolean explained;

  private record Step(String name, long at) {}

  private ReplicaProcess(String name, Process process, Consumer<String> lines) {
    this.name = name;
    this.process = process;
    this.log = Thread.ofVirtual().name(name + "-log").unstarted(() -> passOn(lines));
  }

  /**
   * Starts a child.
   *
   * @param name the replica
   * @param classPath the class path of the child
   * @param arguments the flags of {@code coxswain run}
   * @param lines receives each line of its log
   */
  public static ReplicaProcess start(
      String name, String classPath, List<String> arguments, Consumer<String> lines)
      throws HostException {
    List<String> command = new ArrayList<>(arguments);
    command.addFirst(CommandLine.DEV_REPLICA);
    try {
      Process process =
          new ProcessBuilder(HostJvm.command(classPath, command))
              .directory(new File(System.getProperty("user.dir")))
              .start();
      ReplicaProcess replica = new ReplicaProcess(name, process, lines);
      replica.log.start();
      Thread.ofVirtual().name(name + "-report").start(replica::readReport);
      return replica;
    } catch (IOException e) {
      throw new HostException("replica " + name + " cannot be started: " + e.getMessage(), e);
    }
  }

  String name() {
    return name;
  }

  /** Waits for the end of the process, without a limit. */
  int awaitExitCode() {
    return process.onExit().join().exitValue();
  }

  /** Waits until the replica is ready, as long as steps of its start end. */
  ReplicaReport awaitReady(StallLimit limit) throws HostException {
    while (true) {
      Step last = step;
      long left = last.at() + limit.length().toNanos() - System.nanoTime();
      ReplicaReport ready = awaitReady(Duration.ofNanos(Math.max(0, left)));
      if (ready != null) {
        return ready;
      }
      if (last.equals(step)) {
        throw limit.exceeded(
            "the start of replica %s (log above, last step: %s)".formatted(name, last.name()));
      }
    }
  }

  /**
   * Waits for a while until the replica is ready; returns null when it is not yet.
   *
   * @throws HostException when it has ended
   */
  public @Nullable ReplicaReport awaitReady(Duration limit) throws HostException {
    try {
      return report.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return null;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new HostException(String.valueOf(cause.getMessage()), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HostException("interrupted while replica " + name + " started", e);
    }
  }

  /** Returns whether the child has printed why it ended. */
  boolean explained() {
    return explained;
  }

  /** Stops the replica: by the end of its input, and by a signal. */
  public void stop() {
    process.toHandle().destroy(); // unlike Process.destroy, keeps its log open
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It has ended already.
    }
  }

  /** Ends the process at once, as {@code kill -9}. */
  void kill() {
    process.destroyForcibly();
  }

  /** Waits for the end, and kills the process after the limit. */
  public void awaitEnd(Duration limit) {
    try {
      if (!process.waitFor(Math.max(0, limit.toMillis()), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        process.waitFor(KILL_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      }
      log.join(LOG_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }

  private void readReport() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      @Nullable String line = reader.readLine();
      while (line != null && line.startsWith(RunCommand.STEP)) {
        step = new Step(line.substring(RunCommand.STEP.length()), System.nanoTime());
        line = reader.readLine();
      }
      if (line == null) {
        int code = process.waitFor();
        log.join(LOG_LIMIT); // the last lines have the cause
        report.completeExceptionally(
            new HostException("replica " + name + " ended with exit code " + code));
        return;
      }
      report.complete(ReplicaReport.fromJson(line));
      while (reader.readLine() != null) {
        // No further output is expected; any is read, so that the pipe cannot fill.
      }
    } catch (IOException | HostException e) {
      report.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      report.completeExceptionally(e);
    }
  }

  private void passOn(Consumer<String> lines) {
    try (BufferedReader reader = process.errorReader(StandardCharsets.UTF_8)) {
      @Nullable String line;
      while ((line = reader.readLine()) != null) {
        explained |= line.startsWith("coxswain: ");
        lines.accept(line);
      }
    } catch (IOException e) {
      // The pipe was closed by the end of the process.
    }
  }
}
