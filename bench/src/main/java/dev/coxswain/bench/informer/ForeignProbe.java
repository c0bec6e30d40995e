// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import com.sun.management.ThreadMXBean;
import dev.coxswain.testing.process.Machine;
import dev.coxswain.testing.report.RecordCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures a watch of one kind in this process: {@code ForeignProbe <subject> <url> <port of the
 * commands> <events>} prints one line.
 */
public final class ForeignProbe {
  private static final Pattern SWITCHES =
      Pattern.compile("(?m)^voluntary_ctxt_switches:\\s+(\\d+)");
  private static final int RATE = 500;
  private static final int FAST_RATE = 5_000;
  private static final int WARM_UPS = 3;

  private record Figures(double millis, double bytes, double switches, double size) {}

  private final Socket commands;
  private final WatchSubject subject;

  private ForeignProbe(Socket commands, WatchSubject subject) {
    this.commands = commands;
    this.subject = subject;
  }

  public static void main(String[] args) throws IOException {
    int events = Integer.parseInt(args[3]);
    try (Socket commands = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[2]));
        WatchSubject subject = WatchSubject.open(args[0], args[1])) {
      ForeignProbe probe = new ForeignProbe(commands, subject);
      Figures cold = probe.measure(Math.ceilDiv(events, 3), RATE);
      for (int i = 0; i < WARM_UPS; i++) {
        probe.measure(events * 3, FAST_RATE); // one by one, too
        probe.measure(events * 3, 0);
      }
      Figures paced = probe.measure(events, RATE);
      Figures drained = probe.measure(events * 3, 0);
      System.out.println(
          RecordCodec.line(
              new ForeignReport(
                  cold.millis,
                  paced.millis,
                  paced.bytes,
                  paced.switches,
                  drained.millis,
                  drained.bytes,
                  paced.size)));
    }
    System.exit(0); // whatever threads a subject has left behind
  }

  private Figures measure(int events, int rate) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    double switches = switches();
    long allocated = threads.getTotalThreadAllocatedBytes();
    long cpu = Machine.cpuNanos();
    OutputStream out = commands.getOutputStream();
    out.write((events + " " + rate + "\n").getBytes(StandardCharsets.US_ASCII));
    String sent =
        new BufferedReader(
                new InputStreamReader(commands.getInputStream(), StandardCharsets.US_ASCII), 32)
            .readLine();
    long bytes = Long.parseLong(sent);
    subject.await(bytes);
    return new Figures(
        (Machine.cpuNanos() - cpu) / 1e6 / events * 1000,
        (double) (threads.getTotalThreadAllocatedBytes() - allocated) / events,
        (switches() - switches) / events,
        (double) bytes / (events + 1));
  }

  /** Returns how often the threads that there are have waited. */
  private static double switches() throws IOException {
    Path tasks = Path.of("/proc/self/task");
    if (!Files.isDirectory(tasks)) {
      return Double.NaN;
    }
    double sum = 0;
    try (Stream<Path> all = Files.list(tasks)) {
      for (Path task : all.toList()) {
        try {
          Matcher found = SWITCHES.matcher(Files.readString(task.resolve("status")));
          sum += found.find() ? Long.parseLong(found.group(1)) : 0;
        } catch (IOException _) {
          // the thread has ended
        }
      }
    }
    return sum;
  }
}
