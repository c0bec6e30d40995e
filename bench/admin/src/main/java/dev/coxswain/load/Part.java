// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What was seen while something went on, and in as long a time just before, without it.
 *
 * @param name what went on
 */
record Part(String name, Probes without, Probes with) {

  /** Something that goes on until this moment, as {@link System#nanoTime} counts. */
  interface Work {
    void until(long end) throws IOException;
  }

  /** Waits for as long as the work goes on, and then has it go on. */
  static Part measure(String name, List<Path> probes, int seconds, Work work) throws IOException {
    long quiet = System.currentTimeMillis();
    pause(seconds * 1_000L);
    long begin = System.currentTimeMillis();
    work.until(System.nanoTime() + seconds * 1_000_000_000L);
    long end = System.currentTimeMillis();
    return new Part(name, Probes.read(probes, quiet, begin), Probes.read(probes, begin, end));
  }

  static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** How much the throughput has changed, in percent. */
  double change() {
    return (with.attemptsPerSecond() / without.attemptsPerSecond() - 1) * 100;
  }

  static String head() {
    return "| while | attempts/s without | with | change | loop, longest work without | with"
        + " | over 5 ms without | with | by the machine without | with | late without | with |\n"
        + "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";
  }

  /** Tells of each time that a loop was held. */
  List<String> held() {
    List<String> told = new ArrayList<>();
    without.held().forEach(one -> told.add("without any call: " + one));
    with.held().forEach(one -> told.add(name + ": " + one));
    return told;
  }

  String row() {
    return String.format(
        Locale.ROOT,
        "| %s | %.0f | %.0f | %+.1f %% | %.1f ms | %.1f ms"
            + " | %d of %d | %d of %d | %d | %d | %.1f ms | %.1f ms |",
        name,
        without.attemptsPerSecond(),
        with.attemptsPerSecond(),
        change(),
        without.byWorkMillis(),
        with.byWorkMillis(),
        without.overBudget(),
        without.looks(),
        with.overBudget(),
        with.looks(),
        without.heldByMachine(),
        with.heldByMachine(),
        without.byClockMillis(),
        with.byClockMillis());
  }
}
