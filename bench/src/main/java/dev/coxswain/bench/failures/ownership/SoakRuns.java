// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.ownership.OwnershipChecker.Finding;
import dev.coxswain.bench.failures.recorder.RecordingControllers;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.process.Machine;
import dev.coxswain.testing.process.Waits;
import dev.coxswain.testing.report.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Objects change for a long time while one fault follows another: all connections to the API server
 * are cut, a replica is killed and started again, the API server restarts. Nothing may be lost or
 * done twice, and the replicas that were never killed may not need more and more.
 */
public final class SoakRuns {
  /** As often as this a fault, but not before the one before it is over. */
  private static final int FAULTS = 20;

  /** Growth is judged by fifths of the samples. */
  private static final int LEAST_FAULTS = 6;

  private static final Duration SETTLE_LIMIT = Duration.ofMinutes(2);

  private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(10);
  private static final int SAMPLES_A_PERIOD = 3;
  private static final int SHOWN = 5;

  /** The parts of the time that are compared. */
  private static final int PARTS = 5;

  private final SoakCluster cluster;
  private final ChangeFeed feed;
  private final SoakSamples samples = new SoakSamples();
  private final List<String> broken = new ArrayList<>();

  private SoakRuns(SoakCluster cluster) {
    this.cluster = cluster;
    this.feed = cluster.feed();
  }

  public static Map<String, String> options(boolean quick) {
    Map<String, String> values = OwnershipPlan.options(Map.of("changes", "500", "objects", "1000"));
    values.putAll(Map.of("work", "2", "concurrency", "2"));
    // A minute has three samples in a fifth, and a JVM that is still warming up.
    values.putAll(
        quick
            ? Map.of("seconds", "60", "lease", "6s", "growth", "25")
            : Map.of("seconds", "600", "lease", "15s", "growth", "5"));
    return values;
  }

  /** Runs, prints and returns whether every promise was kept. */
  public static boolean run(Arguments arguments, PrintStream out) throws IOException {
    return broken(arguments, out).isEmpty();
  }

  /** Runs, prints, and returns the broken promises in words. */
  static List<String> broken(Arguments arguments, PrintStream out) throws IOException {
    try (SoakCluster cluster = new SoakCluster(OwnershipPlan.of(arguments, out))) {
      cluster.fill();
      return new SoakRuns(cluster)
          .run(Duration.ofSeconds(arguments.number("seconds")), arguments.number("growth"), out);
    }
  }

  private List<String> run(Duration time, int growth, PrintStream out) throws IOException {
    OwnershipPlan plan = cluster.plan();
    long from = System.nanoTime();
    feed.resume();
    int faults = soak(from, time);
    feed.pause();
    long until = System.nanoTime();
    Waits.until(SETTLE_LIMIT, () -> cluster.unreconciled().isEmpty());
    int changes = feed.between(from, until).size();
    cluster.tell("%d changes, %d faults".formatted(changes, faults));
    judge(growth);
    samples
        .table()
        .print(
            out,
            "Soak of %d s: %d replicas, %d controllers, %d objects, %d faults, load %s"
                .formatted(
                    time.toSeconds(),
                    plan.replicas(),
                    RecordingControllers.COUNT,
                    plan.objects(),
                    faults,
                    Machine.load()));
    Table totals =
        new Table("changes", "changes/s", "in each fifth", "attempts", "broken promises");
    long fifth = (until - from) / PARTS;
    totals.row(
        Integer.toString(changes),
        Table.number(changes * 1e9 / (until - from), 0),
        IntStream.range(0, PARTS)
            .mapToObj(i -> feed.between(from + i * fifth, from + (i + 1) * fifth).size())
            .map(count -> Table.number(count * 1e9 / fifth, 0))
            .collect(Collectors.joining(", ")),
        Integer.toString(cluster.attempts().size()),
        broken.isEmpty() ? "none" : String.join("; ", broken));
    totals.print(out, "Work");
    return List.copyOf(broken);
  }

  /** Makes faults and takes samples for a time; returns how many faults there were. */
  private int soak(long from, Duration time) throws IOException {
    Duration period = time.dividedBy(FAULTS);
    period = period.compareTo(SHORTEST_PERIOD) < 0 ? SHORTEST_PERIOD : period;
    int faults = 0;
    while (System.nanoTime() - from < time.toNanos() || faults < LEAST_FAULTS) {
      long begin = System.nanoTime();
      switch (faults++ % 3) {
        case 0 -> cluster.cut();
        case 1 -> cluster.killAndRestart();
        default -> cluster.outage(cluster.plan().lease().dividedBy(3));
      }
      for (int i = 1; i <= SAMPLES_A_PERIOD; i++) {
        long due = begin + period.toNanos() * i / SAMPLES_A_PERIOD;
        Waits.pass(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
        for (Replica replica : cluster.survivors()) {
          samples.take(replica);
        }
      }
    }
    return faults;
  }

  private void judge(int growth) throws IOException {
    OwnershipChecker checker = new OwnershipChecker(cluster.attempts());
    List<String> evidence = new ArrayList<>();
    count("overlaps", texts(checker.overlaps()), evidence);
    count("stale writes", texts(checker.staleWrites(cluster.watch().history())), evidence);
    count("objects whose last generation is lost", cluster.unreconciled(), evidence);
    cluster.crashed().forEach(name -> broken.add(name + " ended by itself"));
    broken.addAll(samples.growth(growth));
    Files.write(cluster.setup().folder().resolve("findings.txt"), evidence);
    evidence.stream().limit(SHOWN).forEach(cluster::tell);
  }

  private static List<String> texts(List<Finding> findings) {
    return findings.stream().map(Finding::text).toList();
  }

  private void count(String what, List<String> found, List<String> evidence) {
    if (!found.isEmpty()) {
      broken.add(found.size() + " " + what);
      found.forEach(one -> evidence.add(what + ": " + one));
    }
  }
}
