// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.testing.Await;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One storm from beginning to end, with its output.
 *
 * <p>Thread rule: one thread.
 */
final class StormRun {

  static final String NO_WATCH_LEAKED = "no watch leaked";
  static final String NO_WATCH_LEFT = "no watch is left after the stop";

  private static final Logger log = LoggerFactory.getLogger(StormRun.class);

  private static final int WARM_UP = 1;
  private static final int FULL = 2;

  /** A leaked copy of the caches, or a leaked watch with its buffers for each restart, is more. */
  private static final long HEAP_MARGIN_BYTES = 16L << 20;

  /** Carriers of virtual threads and connection housekeepers come and go by one or two. */
  private static final int THREAD_MARGIN = 4;

  /**
   * How much of it.
   *
   * @param seed of the plan of faults and writes
   * @param seconds how long; a warm-up comes before
   * @param objects how many objects there are
   * @param rate writes per second of all writers together
   */
  record Size(long seed, int seconds, int objects, int rate) {}

  private final Size size;
  private final List<String> lines = new ArrayList<>();
  private boolean passed = true;

  StormRun(Size size) {
    this.size = size;
  }

  /** Runs it; may be called once. */
  void at(StormCluster cluster) {
    print(
        "seed %d, %d objects, %d s, %d writes/s"
            .formatted(size.seed(), size.objects(), size.seconds(), size.rate()));
    print("cluster: %s".formatted(cluster.describe()));
    cluster.skipped().forEach(line -> print("SKIP  " + line));
    Fleet fleet = Fleet.ofSeed(size.seed());
    print("names of this run: %s".formatted(fleet.namespaces()));
    try (Storm storm = new Storm(cluster, fleet, size.objects(), size.seed(), this::print)) {
      storm.install();
      storm.start();
      run(storm, cluster.faults());
      storm.stop();
      verdict(storm.caches() == 0, "no cache is left after the stop", storm.caches() + " left");
      cluster.faults().ifPresent(this::noWatchIsLeft);
    }
  }

  /** Returns the output so far. */
  List<String> lines() {
    return List.copyOf(lines);
  }

  /** Returns whether every law that was looked at held. */
  boolean passed() {
    return passed;
  }

  private void run(Storm storm, Optional<Faults> faults) {
    laws("before the storm", storm.calm());
    Duration warmUp = Duration.ofSeconds(Math.max(5, size.seconds() / 6));
    storm.blow(WARM_UP, FaultSchedule.of(size.seed() - 1, warmUp, 1), warmUp, size.rate());
    laws("after the warm-up of " + warmUp.toSeconds() + " s", storm.calm());
    Levels before = Levels.now();
    print("level before: %s".formatted(before));

    Duration time = Duration.ofSeconds(size.seconds());
    FaultSchedule schedule = FaultSchedule.of(size.seed(), time, Math.max(2, size.seconds() / 30));
    faults.ifPresent(present -> plan(schedule));
    storm.blow(FULL, schedule, time, size.rate());
    laws("after the storm", storm.calm());
    storm.report();
    faults.ifPresent(present -> {
      int needed = storm.watches();
      verdict(
          reaches(() -> present.openWatches() == needed),
          NO_WATCH_LEAKED,
          "the caches need " + needed + ", the server has " + present.openWatches());
    });
    levels(before);
  }

  private void plan(FaultSchedule schedule) {
    schedule.entries().forEach(entry -> print("plan: %s".formatted(entry)));
    Map<StormFault, Integer> counts = new TreeMap<>();
    schedule.entries().forEach(entry -> counts.merge(entry.fault(), 1, Integer::sum));
    print("faults: %s, %d of them beside another".formatted(counts, schedule.overlapping()));
  }

  private void levels(Levels before) {
    // Threads end some time after their work.
    boolean fewThreads = reaches(() -> threads() <= before.platformThreads() + THREAD_MARGIN);
    reaches(() -> Levels.now().heapBytes() - before.heapBytes() <= HEAP_MARGIN_BYTES);
    Levels after = Levels.now();
    print("level after: %s".formatted(after));
    print("grown most: " + after.grownSince(before));
    long grown = after.heapBytes() - before.heapBytes();
    verdict(
        grown <= HEAP_MARGIN_BYTES,
        "memory returned to its level",
        "heap after collections grew by %.1f MiB, margin %d MiB"
            .formatted(grown / 1048576.0, HEAP_MARGIN_BYTES >> 20));
    verdict(
        fewThreads,
        "platform threads returned to their level",
        before.platformThreads() + " before, " + after.platformThreads() + " after");
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private void noWatchIsLeft(Faults faults) {
    verdict(
        reaches(() -> faults.openWatches() == 0),
        NO_WATCH_LEFT,
        "the server has " + faults.openWatches());
  }

  private static boolean reaches(BooleanSupplier condition) {
    try {
      Await.until("the level", condition);
      return true;
    } catch (AssertionError e) {
      return false; // reported in the verdict, together with everything else
    }
  }

  private void laws(String when, Truth truth) {
    truth.lines().forEach(line -> print("%s: %s".formatted(when, line)));
    passed &= truth.holds();
  }

  private void verdict(boolean holds, String law, String found) {
    print("%s  %s (%s)".formatted(holds ? "PASS" : "FAIL", law, found));
    passed &= holds;
  }

  private void print(String line) {
    lines.add(line);
    log.info(line);
  }
}
