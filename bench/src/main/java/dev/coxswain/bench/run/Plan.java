// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The amount and the time of measurements.
 *
 * @param rounds how many times everything is run; the subjects take turns, so that a noisy moment
 *     of the machine does not hit one of them only
 * @param forks how many processes of its own each benchmark gets in a round; 0 for none, which
 *     shows that it runs and measures nothing
 * @param iterationTime how long a timed iteration of JMH takes
 * @param timedIterations how many timed iterations are measured, after as many to warm up
 * @param shots how many single shots are measured
 * @param warmupShots how many single shots come before
 * @param items how many requests there are in all measurements but two
 * @param lateItems how many requests the lateness is measured with
 * @param spread from the first due time to the last
 */
public record Plan(
    int rounds,
    int forks,
    Duration iterationTime,
    int timedIterations,
    int shots,
    int warmupShots,
    int items,
    int lateItems,
    Duration spread) {
  public static final Plan FULL =
      new Plan(3, 1, Duration.ofSeconds(1), 3, 10, 5, 1_000_000, 100_000, Duration.ofSeconds(5));

  public static final Plan QUICK =
      new Plan(1, 1, Duration.ofMillis(500), 3, 5, 3, 1_000_000, 100_000, Duration.ofSeconds(5));

  public static final Plan SMOKE =
      new Plan(1, 0, Duration.ofMillis(10), 1, 1, 0, 1_000, 1_000, Duration.ofMillis(50));

  /** How many different requests the additions of the inbox benchmark are for. */
  public int inboxKeys() {
    return items / 10;
  }

  /** How many processes share a limiter in the larger of two clusters. */
  public int members() {
    return forks == 0 ? 1 : 3;
  }

  /** How many pods are cached. */
  public int pods() {
    return items / 100;
  }

  /**
   * How the measured processes run: the collector and the headers of {@code host/bin/jvm.options},
   * with a heap that does not grow, so that growing it is not measured. {@code bench/run} starts
   * its own process with the same flags.
   */
  public static final List<String> JVM =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:+UseCompactObjectHeaders",
          "-Xms2g",
          "-Xmx2g",
          "-XX:-UsePerfData",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-Dvertx.disableDnsResolver=true",
          "-Dlogback.configurationFile=bench-logback.xml");

  /** Returns the flags of the members of a cluster: with less heap, and those that Hazelcast requires. */
  public List<String> limiterJvm() {
    List<String> flags = new ArrayList<>(JVM);
    flags.removeIf(flag -> flag.startsWith("-Xm"));
    flags.addAll(
        List.of(
            "-Xms512m",
            "-Xmx512m",
            "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.management/sun.management=ALL-UNNAMED",
            "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"));
    return flags;
  }
}
