// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.whole.subject.Probe;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.ProcessFigures;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A measured process and the connection of its probe.
 */
final class SubjectProcess implements AutoCloseable {
  private static final int LIMIT_MILLIS = 120_000;

  /** After which it is looked at whether the process has ended. */
  private static final int LOOK_MILLIS = 1_000;

  private static final int END_SECONDS = 60;
  private static final double MIB = 1 << 20;

  private final Process process;
  private final long begin;
  private final Socket socket;
  private final BufferedReader in;
  private final Writer out;

  private SubjectProcess(Process process, long begin, Socket socket) throws IOException {
    this.process = process;
    this.begin = begin;
    this.socket = socket;
    socket.setSoTimeout(LIMIT_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    out =
        new BufferedWriter(
            new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
  }

  /** Prepares the command of a subject, when it is known where its probe shall connect to. */
  @FunctionalInterface
  interface Command {
    ProcessBuilder at(int port) throws IOException;
  }

  /**
   * Starts a process and returns when its probe has connected.
   *
   * @throws IOException when it does not; the message names the log
   */
  static SubjectProcess start(Command command, Path log) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(LOOK_MILLIS);
      ProcessBuilder builder =
          command
              .at(server.getLocalPort())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      long begin = Probe.now();
      Process process = builder.start();
      for (int waited = 0; process.isAlive() && waited < LIMIT_MILLIS; waited += LOOK_MILLIS) {
        try {
          return new SubjectProcess(process, begin, server.accept());
        } catch (SocketTimeoutException _) {
          // not yet
        }
      }
      process.destroyForcibly();
      throw new IOException("no connection of the process; see " + log);
    }
  }

  /** Waits for an event and returns its time on the wall clock, in nanoseconds. */
  long event(String name) throws IOException {
    String line = line();
    if (!line.startsWith(name + " ")) {
      throw new IOException("expected " + name + ", found " + line);
    }
    return Long.parseLong(line.substring(name.length() + 1));
  }

  long begin() {
    return begin;
  }

  /** Begins a phase; {@code all} is sent when so many objects of it have been reconciled. */
  void expect(String phase, int objects) throws IOException {
    call("expect " + phase + " " + objects);
  }

  /** Returns the times from the writes of this phase to the first attempts after, ascending. */
  long[] latencies() throws IOException {
    return Arrays.stream(numbers("latencies")).sorted().toArray();
  }

  /** Returns the times of the attempts of an object that has to fail. */
  long[] attempts(String name) throws IOException {
    return numbers("attempts " + name);
  }

  /** Returns the MiB of the heap that are used after collections. */
  double heap() throws IOException {
    return Long.parseLong(call("heap")) / MIB;
  }

  private long[] numbers(String request) throws IOException {
    String answer = call(request);
    return answer.isEmpty()
        ? new long[0]
        : Arrays.stream(answer.split(" ", -1)).mapToLong(Long::parseLong).toArray();
  }

  private String call(String request) throws IOException {
    out.write(request + "\n");
    out.flush();
    return line();
  }

  private String line() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new IOException("the process has ended");
    }
    return line;
  }

  ProcessFigures figures() {
    return new ProcessFigures(process.pid());
  }

  /** Stops it in order. */
  @Override
  public void close() throws IOException {
    process.destroy();
    Commands.await(process, END_SECONDS);
    socket.close();
  }
}
