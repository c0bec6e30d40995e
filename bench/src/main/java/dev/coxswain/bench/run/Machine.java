// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What the figures were taken on. */
public final class Machine {
  private Machine() {}

  public static void print(PrintStream out) {
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
    out.println("JVM:     " + String.join(" ", Plan.JVM));
    out.println("Load average at the start: " + load());
    out.flush();
  }

  public static String load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? "unknown" : String.format(Locale.ROOT, "%.1f", load);
  }

  private static String processor() {
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
