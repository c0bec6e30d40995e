// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What the process uses.
 *
 * <p>Thread rule: immutable.
 *
 * @param heapBytes what is reachable
 * @param platformThreads how many threads of the operating system there are
 * @param classBytes what is reachable, by class
 */
record Levels(long heapBytes, int platformThreads, Map<String, Long> classBytes) {

  private static final int COLLECTIONS = 4;
  private static final int SHOWN = 6;

  /** Measures; takes some full collections. */
  static Levels now() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      // Cleaners and reference queues have their turn between two collections.
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return new Levels(least, ManagementFactory.getThreadMXBean().getThreadCount(), histogram());
  }

  /** As {@code jcmd GC.class_histogram} has it: number, instances, bytes, class. */
  private static Map<String, Long> histogram() {
    try {
      String table =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "gcClassHistogram",
                      new Object[] {null},
                      new String[] {String[].class.getName()});
      Map<String, Long> bytes = new HashMap<>();
      table
          .lines()
          .map(line -> line.strip().split("\\s+", 5))
          .filter(cells -> cells.length >= 4 && cells[0].endsWith(":"))
          .forEach(cells -> bytes.merge(cells[3], Long.parseLong(cells[2]), Long::sum));
      return bytes;
    } catch (JMException e) {
      return Map.of(); // only explains; another JVM may have none
    }
  }

  /** Returns the classes that take more than before, for the search of a leak. */
  List<String> grownSince(Levels before) {
    Map<String, Long> grown = new HashMap<>();
    classBytes.forEach(
        (name, bytes) -> grown.put(name, bytes - before.classBytes.getOrDefault(name, 0L)));
    return grown.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(SHOWN)
        .map(entry -> "%s %+d KiB".formatted(entry.getKey(), entry.getValue() / 1024))
        .toList();
  }

  @Override
  public String toString() {
    return "%.1f MiB of heap, %d platform threads"
        .formatted(heapBytes / 1048576.0, platformThreads);
  }
}
