// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.process.Machine;
import dev.coxswain.testing.process.Waits;
import dev.coxswain.testing.report.Statistics;
import dev.coxswain.testing.report.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
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
  private static final Duration BALANCE_LIMIT = Duration.ofSeconds(90);
  private static final Duration BALANCE_SPAN = Duration.ofSeconds(4);

  /** From this distance from an equal share on the slots are still moving. */
  private static final double UNBALANCED = 0.2;

  private static final int COLLECTIONS = 3;
  private static final double WANTED_EFFICIENCY = 0.8;

  private final OwnershipCluster cluster;

  private ScalingRounds(OwnershipCluster cluster) {
    this.cluster = cluster;
  }

  public static Map<String, String> options(boolean quick) {
    return OwnershipPlan.options(
        Map.of(
            "replicas", quick ? "2" : "5",
            "seconds", quick ? "5" : "20",
            "bytes", "0",
            "changes", "1",
            "again", "1",
            "concurrency", "5"));
  }

  /** Runs, prints and returns whether the efficiency with most replicas is as promised. */
  public static boolean run(Arguments arguments, PrintStream out) throws IOException {
    OwnershipPlan plan = OwnershipPlan.of(arguments, out);
    Network network = Network.of(arguments.text("network"), OwnershipPlan.MAX_REPLICAS);
    try (OwnershipCluster cluster = new OwnershipCluster(plan, network)) {
      return new ScalingRounds(cluster)
          .run(
              Duration.ofSeconds(arguments.number("seconds")),
              arguments.numberOrZero("bytes"),
              out);
    }
  }

  private boolean run(Duration measured, int bytes, PrintStream out) throws IOException {
    OwnershipPlan plan = cluster.plan();
    cluster.feed().create(bytes);
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
    for (int n = 1; n <= plan.replicas(); n++) {
      cluster.restart(Duration.ZERO, n - 1);
      Waits.until(BALANCE_LIMIT, this::isBalanced);
      Waits.pass(measured);
      List<Attempt> attempts = cluster.latest(measured);
      double rate = (double) attempts.size() / measured.toSeconds();
      first = n == 1 ? rate : first;
      efficiency = rate / (n * first);
      double heap = median(replica -> replica.figures().heap(COLLECTIONS)); // first: it collects
      table.row(
          Integer.toString(n),
          Table.number(rate, 0),
          Table.number(100 * efficiency, 0) + " %",
          Table.number(100 * cluster.unfairness(attempts), 0) + " %",
          Table.number(heap, 1),
          Table.number(median(replica -> replica.figures().resident()), 0));
      cluster.tell(n + " replicas: " + rate + "/s");
    }
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
