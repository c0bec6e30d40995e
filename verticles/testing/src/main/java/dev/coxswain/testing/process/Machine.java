// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.process;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The machine of the figures. */
public final class Machine {
  private static final int COLLECTIONS = 4;

  private Machine() {}

  /**
   * Prints it.
   *
   * @param jvm the flags of the measured processes
   */
  public static void print(PrintStream out, String jvm) {
    out.println(
        "Machine: "
            + Runtime.getRuntime().availableProcessors()
            + " cores ("
            + processor()
            + "), "
            + System.getProperty("os.name")
            + " "
            + System.getProperty("os.arch"));
    out.println(
        "JDK:     "
            + System.getProperty("java.vendor.version", "")
            + " "
            + System.getProperty("java.runtime.version"));
    out.println("JVM:     " + jvm);
    out.println("Load average at the start: " + load());
    out.flush();
  }

  public static String load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? "unknown" : String.format(Locale.ROOT, "%.1f", load);
  }

  /** Returns the processor time of this process so far: all threads, the collector included. */
  public static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** Returns the bytes of the heap that are used after collections. */
  public static long usedAfterCollection() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Returns the name of the processor. */
  public static String processor() {
    try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown"; // not a Linux
    }
  }
}
