// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.cluster.ReplicaGauges;
import dev.coxswain.bench.failures.cluster.Waits;
import dev.coxswain.bench.failures.network.Loopback;
import dev.coxswain.bench.report.Statistics;
import dev.coxswain.bench.report.Table;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.bench.run.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * How much more is reconciled by more replicas: attempts that wait, a few at a time, on objects
 * that are always due. Nothing is written, so neither the processor nor the API server is the
 * limit. Replicas join one after another.
 */
public final class ScalingRounds {
  /** The name of this benchmark on the command line. */
  public static final String NAME = "scaling";

  private static final Duration BALANCE_LIMIT = Duration.ofSeconds(90);
  private static final Duration BALANCE_SPAN = Duration.ofSeconds(4);

  /** From this distance from an equal share on the slots are still moving. */
  private static final double UNBALANCED = 0.2;

  private static final int COLLECTIONS = 3;

  private static final double WANTED_EFFICIENCY = 0.8;
  private final OwnershipCluster cluster;
  private final Duration measured;
  private final int bytes;

  private ScalingRounds(OwnershipCluster cluster, Duration measured, int bytes) {
    this.cluster = cluster;
    this.bytes = bytes;
    this.measured = measured;
  }

  /** Returns the options and their defaults. */
  public static Map<String, String> options(boolean quick) {
    Map<String, String> values = new HashMap<>(Map.of("out", "", "app", ""));
    values.putAll(Map.of("ownership", "sharded", "objects", "2000", "bytes", "0"));
    values.putAll(quick ? Map.of("replicas", "2", "seconds", "5") : Map.of("replicas", "5"));
    values.putIfAbsent("seconds", "20");
    return values;
  }

  /**
   * Runs and prints.
   *
   * @return whether the efficiency with most replicas is as promised
   */
  public static boolean run(Arguments arguments, PrintStream out) throws IOException {
    OwnershipPlan plan =
        new OwnershipPlan(
            Path.of(arguments.text("app")).toAbsolutePath(),
            Files.createDirectories(Path.of(arguments.text("out")).toAbsolutePath()),
            arguments.text("ownership"),
            "filtered",
            1,
            Duration.ofSeconds(15),
            arguments.number("objects"),
            1,
            Duration.ofMillis(20),
            Duration.ofMillis(1),
            5,
            1,
            Duration.ZERO);
    Duration measured = Duration.ofSeconds(arguments.number("seconds"));
    OwnershipCluster cluster =
        new OwnershipCluster(
            plan, Loopback.create(OwnershipPlan.MAX_REPLICAS), OwnershipRuns.progress(out));
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::destroy));
    try (cluster) {
      return new ScalingRounds(cluster, measured, arguments.number("bytes"))
          .run(arguments.number("replicas"), out);
    }
  }

  private boolean run(int most, PrintStream out) throws IOException {
    try (ChangeFeed feed = ChangeFeed.of(cluster)) {
      feed.create(bytes);
    }
    Table table =
        new Table(
            "replicas",
            "keys/s",
            "efficiency",
            "furthest from equal share",
            "live heap MB, each",
            "resident MB, each");
    double first = 0;
    double efficiency = 1;
    for (int n = 1; n <= most; n++) {
      cluster.start(n - 1);
      cluster.awaitReady();
      Waits.until(BALANCE_LIMIT, this::isBalanced);
      Waits.pass(measured);
      List<Attempt> attempts = cluster.latest(measured);
      double rate = (double) attempts.size() / measured.toSeconds();
      first = n == 1 ? rate : first;
      efficiency = rate / (n * first);
      table.row(
          Integer.toString(n),
          Table.number(rate, 0),
          Table.number(100 * efficiency, 0) + " %",
          Table.number(100 * cluster.unfairness(attempts), 0) + " %",
          Table.number(
              median(replica -> ReplicaGauges.heap(replica, COLLECTIONS)),
              1), // before: it collects
          Table.number(median(ReplicaGauges::resident), 0));
      cluster.tell(n + " replicas: " + rate + "/s");
    }
    OwnershipPlan plan = cluster.plan();
    table.print(
        out,
        "Ownership %s, %d objects with %d bytes, 5 attempts of 20 ms at a time on each replica, %s, load %s"
            .formatted(
                plan.ownership(), plan.objects(), bytes, Replica.HEAP_LIMIT, Machine.load()));
    return !plan.sharded() || efficiency >= WANTED_EFFICIENCY;
  }

  /** Returns whether no slots are left to move, and all replicas have their share of the attempts. */
  private boolean isBalanced() throws IOException {
    IntSummaryStatistics slots =
        cluster.replicas().stream().mapToInt(cluster::openSlots).summaryStatistics();
    return (!cluster.plan().sharded() || slots.getMax() - slots.getMin() <= 1)
        && cluster.unfairness(cluster.latest(BALANCE_SPAN)) < UNBALANCED;
  }

  private double median(ToDoubleFunction<Replica> figure) {
    return Statistics.median(cluster.replicas(), figure);
  }
}
