// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The records of the watches of event loops, see {@code LoopWatch}.
 *
 * @param attemptsPerSecond over all replicas
 * @param byClockMillis the longest that any event loop let others wait, by the clock
 * @param byWorkMillis the longest by its own processor time
 * @param looks how often they looked
 * @param overBudget how often the work was longer than five milliseconds
 * @param heldByMachine how often it seemed so, of a loop that waited for I/O or that the machine
 *     had taken the processor from
 * @param held each time that the work was longer, or seemed so because the machine took the
 *     processor, in words
 */
record Probes(
    double attemptsPerSecond,
    double byClockMillis,
    double byWorkMillis,
    long looks,
    long overBudget,
    long heldByMachine,
    List<String> held) {

  private static final String HELD = "held ";
  private static final long BUDGET_NANOS = 5_000_000;

  /**
   * One look that found too much work.
   *
   * @param own the most of it that can be the loop's own: it did nothing while the machine had the
   *     processor
   * @param text what was seen, in words
   */
  private record Held(long own, String text) {
    static Held of(String line, Gaps gaps) {
      String[] part = line.split(" ", 4);
      long due = Long.parseLong(part[0]);
      long now = Long.parseLong(part[1]);
      long taken = gaps.most(due, now);
      long own = Math.min(Long.parseLong(part[2]), now - due - taken);
      String words =
          String.format(Locale.ROOT, "%s (the machine took %.1f ms)", part[3], taken / 1e6);
      return new Held(own, own > BUDGET_NANOS ? words : "by the machine: " + words);
    }
  }

  /** Returns whether the replica that wrote a file has recorded that it uses a start cache. */
  static boolean usesStartCache(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.findFirst().orElse("").equals("start-cache used");
    }
  }

  /**
   * Reads what was written between two moments, in milliseconds since 1970.
   *
   * @param gaps when the machine took the processors
   */
  static Probes read(List<Path> files, Gaps gaps, long from, long to) throws IOException {
    double rate = 0;
    double clock = 0;
    double work = 0;
    long looks = 0;
    long overBudget = 0;
    long heldByMachine = 0;
    List<String> held = new ArrayList<>();
    for (Path file : files) {
      long firstAt = 0;
      long firstCount = 0;
      long lastAt = 0;
      long lastCount = 0;
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(HELD)) {
          int end = line.indexOf(' ', HELD.length());
          long at = end < 0 ? 0 : Long.parseLong(line.substring(HELD.length(), end));
          if (firstAt != 0 && at > firstAt && at <= to) {
            Held one = Held.of(line.substring(end + 1), gaps);
            held.add(one.text());
            work = Math.max(work, one.own() / 1e6);
            if (one.own() <= BUDGET_NANOS) {
              overBudget--;
              heldByMachine++;
            }
          }
          continue;
        }
        String[] part = line.split(" ", -1);
        if (part.length != 7) {
          continue; // the first line, or it is just being written
        }
        long at = Long.parseLong(part[0]);
        if (at < from || at > to) {
          continue;
        }
        if (firstAt == 0) {
          firstAt = at;
          firstCount = Long.parseLong(part[1]);
        } else {
          // The line of the first second covers what was before it, too.
          clock = Math.max(clock, Long.parseLong(part[2]) / 1e3);
          work = Math.max(work, Long.parseLong(part[3]) / 1e3);
          looks += Long.parseLong(part[4]);
          overBudget += Long.parseLong(part[5]);
          heldByMachine += Long.parseLong(part[6]);
        }
        lastAt = at;
        lastCount = Long.parseLong(part[1]);
      }
      if (lastAt == firstAt) {
        throw new IOException(file + " has nothing to compare");
      }
      rate += (lastCount - firstCount) * 1e3 / (lastAt - firstAt);
    }
    return new Probes(rate, clock, work, looks, overBudget, heldByMachine, held);
  }
}
