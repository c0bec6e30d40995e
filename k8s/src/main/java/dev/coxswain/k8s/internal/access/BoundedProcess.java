// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a program without input to its end. One that takes too long or prints too much is killed,
 * with the processes that it has started.
 *
 * <p>Thread rule: confined to the thread that runs it, which blocks.
 */
final class BoundedProcess {

  /** How long a process that was started by the program may hold its output after its end. */
  private static final Duration REST = Duration.ofSeconds(2);

  /** Bounds the threads that read, some of which may outlast their program, in this process. */
  private static final Semaphore READERS = new Semaphore(32);

  private static final int LONGEST_ERROR = 4 * 1024;
  private static final int PIECE = 8 * 1024;

  private final List<String> command;
  private final Map<String, String> environment;
  private final Duration limit;
  private final int longest;

  /**
   * Prepares a run.
   *
   * @param environment variables in addition to those of this process
   * @param limit the longest time
   * @param longest the most bytes of output
   */
  BoundedProcess(
      List<String> command, Map<String, String> environment, Duration limit, int longest) {
    this.command = command;
    this.environment = environment;
    this.limit = limit;
    this.longest = longest;
  }

  /**
   * The end of a run.
   *
   * @param code the exit code
   * @param output the standard output
   * @param error the beginning of the standard error
   */
  record Result(int code, String output, String error) {

    /** Hides the output, which has secrets. */
    @Override
    public String toString() {
      return "exit code " + code;
    }
  }

  /**
   * Runs the program.
   *
   * @throws IOException when it cannot be started or was killed; the message completes "the program"
   * @throws InterruptedException when the thread is interrupted; the program is killed
   */
  Result run() throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new IOException("cannot be started", e);
    }
    if (!READERS.tryAcquire(2)) {
      kill(process);
      throw new IOException("cannot be started: processes of former runs hold their output");
    }
    try {
      CompletableFuture<String> output = new CompletableFuture<>();
      CompletableFuture<String> error = new CompletableFuture<>();
      read(process.getInputStream(), longest, output, process);
      read(process.getErrorStream(), -LONGEST_ERROR, error, process);
      process.getOutputStream().close();
      if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new IOException("did not end within " + limit.toMillis() + " ms and was killed");
      }
      return new Result(process.exitValue(), rest(output), rest(error));
    } catch (ExecutionException e) {
      throw new IOException("printed more than " + longest + " bytes and was killed", e.getCause());
    } finally {
      kill(process);
    }
  }

  private static String rest(CompletableFuture<String> text)
      throws IOException, InterruptedException, ExecutionException {
    try {
      return text.get(REST.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("has ended, but a process that it started holds its output", e);
    }
  }

  /**
   * Reads on a platform thread, because a read of a pipe would occupy the carrier of a virtual one.
   *
   * @param most the most bytes, more of which are a failure; below zero: bytes that are kept, and
   *     more of which are discarded
   */
  private static void read(
      InputStream in, int most, CompletableFuture<String> text, Process process) {
    Thread.ofPlatform()
        .daemon()
        .name("coxswain-exec-output")
        .start(() -> {
          ByteArrayOutputStream kept = new ByteArrayOutputStream();
          byte[] piece = new byte[PIECE];
          try (in) {
            int length;
            while ((length = in.read(piece)) >= 0) {
              kept.write(piece, 0, Math.min(length, Math.abs(most) - kept.size()));
              if (most > 0 && length > 0 && kept.size() >= most) {
                text.completeExceptionally(new IOException("too long"));
                kill(process);
                return;
              }
            }
          } catch (IOException e) {
            // Its process was killed; what it printed until then counts.
          } finally {
            READERS.release();
          }
          text.complete(kept.toString(StandardCharsets.UTF_8));
        });
  }

  private static void kill(Process process) {
    if (process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
