// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev;

import dev.coxswain.host.ReplicaReport;
import dev.coxswain.host.jvm.HostJvm;
import dev.coxswain.host.lifecycle.HostException;
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
import org.jspecify.annotations.Nullable;

/**
 * One replica as a child process. Its standard input stays open and silent: when this process dies,
 * however that happens, the child reads the end of it and stops. Its standard output carries one
 * line, the report; its log comes on the error stream and is passed on.
 *
 * <p>Thread rule: any thread; {@link #awaitReady} and {@link #awaitEnd} block.
 */
final class ReplicaProcess {

  private static final Duration LOG_LIMIT = Duration.ofMillis(200);

  /** A killed process is gone at once, but on a busy machine not before this method returns. */
  private static final Duration KILL_LIMIT = Duration.ofMillis(500);

  private final String name;
  private final Process process;
  private final Thread log;
  private final CompletableFuture<ReplicaReport> report = new CompletableFuture<>();

  /** Whether the child has told people why it ended. Written by the thread that passes it on. */
  private volatile boolean explained;

  private ReplicaProcess(String name, Process process, String linePrefix) {
    this.name = name;
    this.process = process;
    this.log = Thread.ofVirtual().name(name + "-log").unstarted(() -> passOn(linePrefix));
  }

  /**
   * Starts a child.
   *
   * @param name the replica
   * @param arguments what follows {@code coxswain run}
   * @param linePrefix what each line of its log begins with
   */
  static ReplicaProcess start(String name, List<String> arguments, String linePrefix)
      throws HostException {
    List<String> command = new ArrayList<>(List.of("run", "--dev-child"));
    command.addAll(arguments);
    try {
      Process process =
          new ProcessBuilder(HostJvm.command(command))
              .directory(new File(System.getProperty("user.dir")))
              .start();
      ReplicaProcess replica = new ReplicaProcess(name, process, linePrefix);
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

  /** Waits, for as long as it takes, until the process has ended. */
  int awaitExitCode() {
    return process.onExit().join().exitValue();
  }

  /** Waits until the replica is ready. */
  ReplicaReport awaitReady(Duration limit) throws HostException {
    try {
      return report.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new HostException(
          "replica " + name + " was not ready after " + limit.toSeconds() + " s; see its log above",
          e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new HostException(String.valueOf(cause.getMessage()), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HostException("interrupted while replica " + name + " started", e);
    }
  }

  /** Returns whether the child has printed a reason that need not be repeated. */
  boolean explained() {
    return explained;
  }

  /** Asks the replica to stop, in both of its ways. */
  void stop() {
    process.toHandle().destroy(); // unlike that of the process itself this leaves its log open
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It is gone already.
    }
  }

  /** Waits for the end, and brings it about when the limit has passed. */
  void awaitEnd(Duration limit) {
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
      if (line == null) {
        int code = process.waitFor();
        log.join(LOG_LIMIT); // what it said last tells why
        report.completeExceptionally(
            new HostException("replica " + name + " ended with exit code " + code));
        return;
      }
      report.complete(ReplicaReport.fromJson(line));
      while (reader.readLine() != null) {
        // A child says nothing more; what it says all the same must not fill the pipe.
      }
    } catch (IOException | HostException e) {
      report.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      report.completeExceptionally(e);
    }
  }

  private void passOn(String prefix) {
    try (BufferedReader reader = process.errorReader(StandardCharsets.UTF_8)) {
      @Nullable String line;
      while ((line = reader.readLine()) != null) {
        explained |= line.startsWith("coxswain: ");
        System.err.println(prefix + line);
      }
    } catch (IOException e) {
      // The pipe was closed by the end of the process.
    }
  }
}
