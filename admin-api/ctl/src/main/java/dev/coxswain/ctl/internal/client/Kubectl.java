// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.print.HumanDuration;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
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
 * A runner of kubectl, which supports every way to authenticate at a cluster. Its standard output
 * is data; its standard error goes into messages. Calls block.
 */
public final class Kubectl {

  /** Long enough for an interactive login. */
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration MOMENT = Duration.ofSeconds(2);
  private static final int MAX_OUTPUT = 16 * 1024 * 1024;
  private static final int MAX_COMPLAINT = 4 * 1024;

  private final String program;
  private final Duration limit;
  private final List<String> connection = new ArrayList<>();

  /**
   * Creates a runner.
   *
   * @param program the name or the path of kubectl
   * @param limit the time-out of a command, and of the first line of one that keeps running
   */
  public Kubectl(
      String program, @Nullable String kubeconfig, @Nullable String context, Duration limit) {
    this.program = program;
    this.limit = limit;
    if (kubeconfig != null) {
      connection.addAll(List.of("--kubeconfig", kubeconfig));
    }
    if (context != null) {
      connection.addAll(List.of("--context", context));
    }
  }

  /** Runs a command to its end and returns its output. */
  public String run(String... arguments) {
    Process process = start(arguments);
    try {
      CompletableFuture<byte[]> output = read(process.getInputStream(), MAX_OUTPUT);
      CompletableFuture<byte[]> errorOutput = read(process.getErrorStream(), MAX_COMPLAINT);
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new CommandException(
            "kubectl " + arguments[0] + " did not end within " + HumanDuration.shown(limit));
      }
      if (process.exitValue() != 0) {
        throw complained(arguments[0], errorOutput.join());
      }
      return new String(output.join(), StandardCharsets.UTF_8);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.ABORTED, "interrupted");
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * A command that keeps running.
   *
   * @param process ended by the caller
   * @param line the first line of its output
   * @param errorOutput its standard error, when it has ended
   */
  record Running(Process process, String line, CompletableFuture<byte[]> errorOutput) {

    /** Returns a description of its end, or an empty text while it runs; may block briefly. */
    String ended() {
      try {
        process.onExit().get(MOMENT.toMillis(), TimeUnit.MILLISECONDS);
        String text = text(errorOutput.get(MOMENT.toMillis(), TimeUnit.MILLISECONDS));
        return "has ended" + (text.isEmpty() ? "" : ": " + text);
      } catch (TimeoutException e) {
        return "";
      } catch (ExecutionException e) {
        return "has ended";
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "";
      }
    }
  }

  /** Starts a command that keeps running, and waits for its first line. */
  public Running begin(String... arguments) {
    Process process = start(arguments);
    boolean begun = false;
    try {
      CompletableFuture<byte[]> errorOutput = read(process.getErrorStream(), MAX_COMPLAINT);
      BufferedReader lines = process.inputReader();
      CompletableFuture<String> first = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(() -> {
            try {
              first.complete(String.valueOf(lines.readLine()));
              lines.transferTo(Writer.nullWriter());
            } catch (IOException e) {
              first.complete(String.valueOf((Object) null));
            }
          });
      String line = first.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (line.equals("null")) {
        process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        throw complained(arguments[0], errorOutput.join());
      }
      begun = true;
      return new Running(process, line, errorOutput);
    } catch (TimeoutException e) {
      throw new CommandException(
          "kubectl " + arguments[0] + " printed nothing for " + HumanDuration.shown(limit), e);
    } catch (ExecutionException e) {
      throw new CommandException("kubectl " + arguments[0] + " failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.ABORTED, "interrupted");
    } finally {
      if (!begun) {
        process.destroyForcibly();
      }
    }
  }

  private Process start(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(connection);
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).start();
      process.getOutputStream().close();
      return process;
    } catch (IOException e) {
      throw new CommandException(
          "kubectl, which is needed to reach a host in a cluster, cannot be started ("
              + CommandException.reason(e)
              + ");\ngive --server and a token instead",
          e);
    }
  }

  private static CompletableFuture<byte[]> read(InputStream in, int most) {
    CompletableFuture<byte[]> bytes = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            byte[] first = in.readNBytes(most);
            in.transferTo(OutputStream.nullOutputStream());
            bytes.complete(first);
          } catch (IOException e) {
            bytes.complete(new byte[0]);
          }
        });
    return bytes;
  }

  private static String text(byte[] errorOutput) {
    return new String(errorOutput, StandardCharsets.UTF_8).strip();
  }

  private static CommandException complained(String command, byte[] errorOutput) {
    String text = text(errorOutput);
    return new CommandException(
        "kubectl " + command + " failed" + (text.isEmpty() ? "" : ": " + text));
  }
}
