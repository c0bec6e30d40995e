// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The time of all processors as the system has counted it, in ticks.
 *
 * @param stolen what the machine below a virtual one gave to others while there was work here
 * @param all with it
 */
record ProcessorTime(long stolen, long all) {
  private static final Path STAT = Path.of("/proc/stat");
  private static final ProcessorTime UNKNOWN = new ProcessorTime(0, 0);

  /** User, nice, system, idle, iowait, irq, softirq, steal; guests are part of user and nice. */
  private static final int FIELDS = 8;

  /** Reads the present counters; zeros on a system without them. */
  static ProcessorTime now() throws IOException {
    return Files.isReadable(STAT) ? of(Files.readAllLines(STAT)) : UNKNOWN;
  }

  /** Takes it from the lines of {@code /proc/stat}. */
  static ProcessorTime of(List<String> lines) {
    String[] part = lines.isEmpty() ? new String[0] : lines.getFirst().split(" +", -1);
    if (part.length <= FIELDS || !part[0].equals("cpu")) {
      return UNKNOWN;
    }
    long all = 0;
    for (int i = 1; i <= FIELDS; i++) {
      all += Long.parseLong(part[i]);
    }
    return new ProcessorTime(Long.parseLong(part[FIELDS]), all);
  }

  /** Returns which share was stolen since an earlier moment, in percent of all processors. */
  double stolenSince(ProcessorTime earlier) {
    long passed = all - earlier.all;
    return passed <= 0 ? 0 : Math.max(0, stolen - earlier.stolen) * 100.0 / passed;
  }
}
