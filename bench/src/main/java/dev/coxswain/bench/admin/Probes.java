// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The records of the watches of event loops, see {@code LoopProbe}.
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
  private static final int NUMBERS = 7;

  /** Reads what was written between two moments, in milliseconds since 1970. */
  static Probes read(List<Path> files, long from, long to) throws IOException {
    double rate = 0;
    long[] most = new long[NUMBERS];
    long[] sums = new long[NUMBERS];
    List<String> held = new ArrayList<>();
    for (Path file : files) {
      long[] first = {};
      long[] last = {};
      for (String line : Files.readAllLines(file)) {
        String[] part = line.split("\\|", -1);
        String[] numbers = part[0].split(" ", -1);
        if (numbers.length != NUMBERS) {
          continue; // it is just being written
        }
        long[] second = Arrays.stream(numbers).mapToLong(Long::parseLong).toArray();
        if (second[0] < from || second[0] > to) {
          continue;
        }
        last = second;
        if (first.length == 0) {
          first = second; // it covers what was before it, too
          continue;
        }
        for (int i = 0; i < NUMBERS; i++) {
          most[i] = Math.max(most[i], second[i]);
          sums[i] += second[i];
        }
        held.addAll(List.of(part).subList(1, part.length));
      }
      if (last.length == 0 || last[0] == first[0]) {
        throw new IOException(file + " has nothing to compare");
      }
      rate += (last[1] - first[1]) * 1e3 / (last[0] - first[0]);
    }
    return new Probes(rate, most[2] / 1e3, most[3] / 1e3, sums[4], sums[5], sums[6], held);
  }

  /** Returns the figures of a half, with or without calls. */
  Map<Figure, Double> figures(boolean with) {
    return Map.of(
        with ? Figure.RATE_WITH : Figure.RATE_WITHOUT,
        attemptsPerSecond,
        with ? Figure.WORK_WITH : Figure.WORK_WITHOUT,
        byWorkMillis,
        with ? Figure.LOOKS_WITH : Figure.LOOKS_WITHOUT,
        (double) looks,
        with ? Figure.OVER_WITH : Figure.OVER_WITHOUT,
        (double) overBudget,
        with ? Figure.MACHINE_WITH : Figure.MACHINE_WITHOUT,
        (double) heldByMachine,
        with ? Figure.LATE_WITH : Figure.LATE_WITHOUT,
        byClockMillis);
  }
}
