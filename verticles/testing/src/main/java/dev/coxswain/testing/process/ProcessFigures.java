// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a process uses now; NaN where it cannot be read, as on other systems than Linux.
 *
 * <p>Thread rule: any thread; calls block.
 */
public record ProcessFigures(long pid) {
  private static final Pattern RESIDENT = Pattern.compile("(?m)^Rss:\\s+(\\d+) kB");
  private static final Pattern THREADS = Pattern.compile("(?m)^Threads:\\s+(\\d+)");
  private static final Pattern RUN = Pattern.compile("^(\\d+)");

  /** After a collection everything that lives is in the old generation; the rest is new already. */
  private static final Pattern HEAP = Pattern.compile("(?im)^.*tenured.*used (\\d+)K");

  private static final double KIB = 1024;

  /** Returns the resident memory in MiB. */
  public double resident() {
    return sum(RESIDENT, text("smaps_rollup")) / KIB;
  }

  /**
   * Returns the MiB of heap in use after a collection: the least of some, since it goes on meanwhile.
   *
   * @param collections how many there are; each stops the process and takes about half a second
   */
  public double heap(int collections) {
    return IntStream.range(0, collections).mapToDouble(_ -> collected()).min().orElse(Double.NaN);
  }

  private double collected() {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      Commands.run(jcmd, Long.toString(pid), "GC.run");
      return sum(HEAP, Commands.run(jcmd, Long.toString(pid), "GC.heap_info")) / KIB;
    } catch (IOException _) {
      return Double.NaN;
    }
  }

  /** Returns how many threads of the system it has. */
  public double threads() {
    return sum(THREADS, text("status"));
  }

  /** Returns how many file descriptors it has open. */
  public double descriptors() {
    try (Stream<Path> open = Files.list(file("fd"))) {
      return open.count();
    } catch (IOException _) {
      return Double.NaN;
    }
  }

  /** Returns the processor time of all threads so far, in seconds; Linux counts 10 ms. */
  public double cpuSeconds() {
    return ProcessHandle.of(pid)
            .flatMap(process -> process.info().totalCpuDuration())
            .orElse(Duration.ZERO)
            .toNanos()
        / 1e9;
  }

  /** Returns the processor time of the threads that there are, in nanoseconds. */
  public double threadNanos() {
    try (Stream<Path> tasks = Files.list(file("task"))) {
      return tasks
          .mapToDouble(task -> sum(RUN, text("task/" + task.getFileName() + "/schedstat")))
          .filter(nanos -> !Double.isNaN(nanos)) // the thread has ended
          .sum();
    } catch (IOException _) {
      return Double.NaN;
    }
  }

  private Path file(String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }

  private String text(String name) {
    try {
      return Files.readString(file(name));
    } catch (IOException _) {
      return "";
    }
  }

  private static double sum(Pattern number, String text) {
    Matcher found = number.matcher(text);
    double sum = Double.NaN;
    while (found.find()) {
      sum = (Double.isNaN(sum) ? 0 : sum) + Long.parseLong(found.group(1));
    }
    return sum;
  }
}
