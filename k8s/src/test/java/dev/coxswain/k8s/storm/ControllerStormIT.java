// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.k8s.fixture.Await;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three controllers, 2,000 objects, a minute of mixed writes, every fault: nothing is lost.
 *
 * <p>{@code -Dcoxswain.storm.seconds}, {@code .objects}, {@code .rate} (writes per second) and
 * {@code -Dcoxswain.seed} change it; see {@code docs/testing.md}.
 */
class ControllerStormIT {

  private static final Logger log = LoggerFactory.getLogger(ControllerStormIT.class);

  private static final long SEED = Long.getLong("coxswain.seed", 20_261_121);
  private static final int SECONDS = Integer.getInteger("coxswain.storm.seconds", 60);
  private static final int OBJECTS = Integer.getInteger("coxswain.storm.objects", 2_000);
  private static final int RATE = Integer.getInteger("coxswain.storm.rate", 150);

  private static final int WARM_UP = 1;
  private static final int FULL = 2;

  /** A leaked copy of the caches, or a leaked watch with its buffers for each restart, is more. */
  private static final long HEAP_MARGIN_BYTES = 16L << 20;

  /** Carriers of virtual threads and connection housekeepers come and go by one or two. */
  private static final int THREAD_MARGIN = 4;

  private final List<String> lines = new ArrayList<>();
  private boolean passed = true;

  @Test
  @Timeout(value = 12 * 60 * 60, unit = TimeUnit.SECONDS) // every wait inside has its own limit
  void whateverHappens_nothingIsLost() throws IOException {
    Fleet fleet = Fleet.ofSeed(SEED);
    say("seed %d, %d objects, %d s, %d writes/s".formatted(SEED, OBJECTS, SECONDS, RATE));
    try (StormCluster cluster = StormCluster.embedded()) {
      say("cluster: %s".formatted(cluster.describe()));
      try (Storm storm = new Storm(cluster, fleet, OBJECTS, SEED, this::say)) {
        storm.install();
        storm.start();
        run(storm, cluster.faults());
        storm.stop();
        verdict(storm.caches() == 0, "no cache is left after the stop", storm.caches() + " left");
        cluster.faults().ifPresent(this::noWatchIsLeft);
      }
    } finally {
      save();
    }
    assertThat(passed)
        .as("see the lines that begin with FAIL:\n%s", String.join("\n", lines))
        .isTrue();
  }

  private void run(Storm storm, Optional<Faults> faults) {
    laws("before the storm", storm.calm());
    Duration warmUp = Duration.ofSeconds(Math.max(5, SECONDS / 6));
    storm.blow(WARM_UP, FaultSchedule.of(SEED - 1, warmUp, 1), warmUp, RATE);
    laws("after the warm-up of " + warmUp.toSeconds() + " s", storm.calm());
    Levels before = Levels.now();
    say("level before: %s".formatted(before));

    Duration time = Duration.ofSeconds(SECONDS);
    FaultSchedule schedule = FaultSchedule.of(SEED, time, Math.max(2, SECONDS / 30));
    faults.ifPresent(present -> plan(schedule));
    storm.blow(FULL, schedule, time, RATE);
    laws("after the storm", storm.calm());
    storm.report();
    faults.ifPresent(present -> {
      int needed = storm.watches();
      verdict(
          reaches(() -> present.openWatches() == needed),
          "no watch leaked",
          "the caches need " + needed + ", the server has " + present.openWatches());
    });
    levels(before);
  }

  private void plan(FaultSchedule schedule) {
    schedule.entries().forEach(entry -> say("plan: %s".formatted(entry)));
    Map<StormFault, Integer> counts = new TreeMap<>();
    schedule.entries().forEach(entry -> counts.merge(entry.fault(), 1, Integer::sum));
    say("faults: %s, %d of them beside another".formatted(counts, schedule.overlapping()));
  }

  private void levels(Levels before) {
    // Threads end some time after their work.
    boolean fewThreads = reaches(() -> threads() <= before.platformThreads() + THREAD_MARGIN);
    Levels after = Levels.now();
    say("level after: %s".formatted(after));
    say("grown most: " + after.grownSince(before));
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
        "no watch is left after the stop",
        "the server has " + faults.openWatches());
  }

  private static boolean reaches(BooleanSupplier condition) {
    try {
      Await.until("the level", condition);
      return true;
    } catch (AssertionError e) {
      return false; // told in the verdict, together with everything else
    }
  }

  private void laws(String when, Truth truth) {
    truth.lines().forEach(line -> say("%s: %s".formatted(when, line)));
    passed &= truth.holds();
  }

  private void verdict(boolean holds, String law, String found) {
    say("%s  %s (%s)".formatted(holds ? "PASS" : "FAIL", law, found));
    passed &= holds;
  }

  private void say(String line) {
    lines.add(line);
    log.info(line);
  }

  private void save() throws IOException {
    Path folder = Files.createDirectories(Path.of("target", "storm"));
    Files.write(folder.resolve("report.txt"), lines);
  }
}
