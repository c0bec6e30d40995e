// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.cluster;

import dev.coxswain.bench.run.Commands;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a replica uses now; NaN where it cannot be read, as on other systems than Linux.
 *
 * <p>Thread rule: any thread; calls block.
 */
public final class ReplicaGauges {
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
  private static final Pattern THREADS = Pattern.compile("Threads:\\s+(\\d+)");

  /** After a collection everything that lives is in the old generation; the rest is new already. */
  private static final Pattern HEAP = Pattern.compile("(?im)^.*tenured.*used (\\d+)K");

  private static final double KILO = 1024;

  private ReplicaGauges() {}

  /** Returns its resident memory in MB. */
  public static double resident(Replica replica) {
    return sum(RESIDENT, status(replica)) / KILO;
  }

  /**
   * Returns the MB of heap in use after a collection: the least of some, since it goes on meanwhile.
   *
   * @param collections how many there are; each stops the replica and takes about half a second
   */
  public static double heap(Replica replica, int collections) {
    return IntStream.range(0, collections)
        .mapToDouble(_ -> collected(replica))
        .min()
        .orElse(Double.NaN);
  }

  private static double collected(Replica replica) {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    String pid = Long.toString(replica.pid());
    try {
      Commands.run(jcmd, pid, "GC.run");
      return sum(HEAP, Commands.run(jcmd, pid, "GC.heap_info")) / KILO;
    } catch (IOException _) {
      return Double.NaN;
    }
  }

  /** Returns how many threads of the system it has. */
  public static double threads(Replica replica) {
    return sum(THREADS, status(replica));
  }

  /** Returns how many file descriptors it has open. */
  public static double descriptors(Replica replica) {
    try (Stream<Path> open = Files.list(Path.of("/proc/" + replica.pid() + "/fd"))) {
      return open.count();
    } catch (IOException _) {
      return Double.NaN;
    }
  }

  /** Returns how many time series its metrics have. */
  public static double series(Replica replica, HttpClient http) {
    long lines = replica.metrics(http).lines().filter(line -> !line.startsWith("#")).count();
    return lines == 0 ? Double.NaN : lines;
  }

  private static String status(Replica replica) {
    try {
      return Files.readString(Path.of("/proc/" + replica.pid() + "/status"));
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
