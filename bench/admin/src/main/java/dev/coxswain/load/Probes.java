// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the watches of the event loops wrote, see {@code LoopWatch}.
 *
 * @param attemptsPerSecond over all replicas
 * @param byClockMillis the longest that any event loop let others wait, by the clock
 * @param byWorkMillis the longest by its own processor time
 * @param looks how often they looked
 * @param overBudget how often the work was longer than five milliseconds
 * @param heldByMachine how often it seemed so, of a loop that waited for I/O
 * @param held each time that the work was longer, in words
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

  /** Returns whether the replica that writes this has said that it uses a start cache. */
  static boolean usesStartCache(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.findFirst().orElse("").equals("start-cache used");
    }
  }

  /** Reads what was written between two moments, in milliseconds since 1970. */
  static Probes read(List<Path> files, long from, long to) throws IOException {
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
            held.add(line.substring(end + 1));
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
