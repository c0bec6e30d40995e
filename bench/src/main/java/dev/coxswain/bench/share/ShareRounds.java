// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.network.Loopback;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.process.Machine;
import dev.coxswain.testing.report.Statistics;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What each of some replicas receives of the changes of objects that they share, and what that
 * costs: with slots by key, by namespace, and by namespace with a server that selects. Fails when a
 * change was not reconciled.
 *
 * <p>Thread rule: one thread; calls block.
 */
public final class ShareRounds {
  /** The part of the measured time that warms up compiled code before. */
  private static final int WARM_UP = 4;

  private final SharePlan plan;
  private final Network network;
  private final ShareReport report = new ShareReport();
  private final List<String> broken = new ArrayList<>();

  private ShareRounds(SharePlan plan) throws IOException {
    this.plan = plan;
    this.network = Loopback.create(plan.setup().most());
  }

  public static Map<String, String> options(boolean quick) {
    return SharePlan.options(quick);
  }

  /** Measures, prints and returns whether every change was reconciled. */
  public static boolean run(Arguments arguments, PrintStream out) throws IOException {
    SharePlan plan = SharePlan.of(arguments, out);
    ShareRounds rounds = new ShareRounds(plan);
    try {
      rounds.all();
    } finally {
      // What was measured is worth printing when the run is broken off, too.
      rounds.report.table(
          out,
          "%,d objects of %,d bytes in %d namespaces, %d changes/s for %d s, Lease %d s, load %s"
              .formatted(
                  plan.objects(),
                  plan.bytes(),
                  plan.namespaces(),
                  plan.changes(),
                  plan.time().toSeconds(),
                  plan.setup().lease().toSeconds(),
                  Machine.load()));
      rounds.report.plot(out);
    }
    rounds.broken.forEach(text -> out.println("\nFAILED: " + text));
    return rounds.broken.isEmpty();
  }

  private void all() throws IOException {
    if (plan.kubeconfig().isPresent()) {
      try (ShareServer server = ShareServer.given(plan, plan.kubeconfig().get())) {
        for (ShareSubject mode : plan.modes()) {
          rows(server, mode);
        }
      }
      return;
    }
    for (ShareSubject mode : plan.modes()) {
      try (ShareServer server = ShareServer.embedded(plan, mode)) {
        rows(server, mode);
      }
    }
  }

  private void rows(ShareServer server, ShareSubject mode) throws IOException {
    for (int replicas : plan.replicas()) {
      String name = Arguments.key(mode) + "-" + replicas;
      plan.tell("== " + name);
      try (ShareCluster cluster = new ShareCluster(plan.setup(name), network, server, mode)) {
        cluster.fill(replicas);
        report.add(measure(cluster, server, mode));
        cluster.crashed().forEach(one -> broken.add(name + ": " + one + " ended by itself"));
      }
    }
  }

  private ShareReport.Row measure(ShareCluster cluster, ShareServer server, ShareSubject mode)
      throws IOException {
    int replicas = cluster.replicas().size();
    List<ReplicaTraffic> started = cluster.settledTraffic();
    server.writes().change(plan.measured() / WARM_UP);
    cluster.awaitReconciled();

    List<ReplicaTraffic> before = cluster.settledTraffic();
    double serverBefore = server.cpuSeconds();
    Duration took = server.writes().change(plan.measured());
    double serverCpu = server.cpuSeconds() - serverBefore;
    cluster.awaitReconciled();
    List<ReplicaTraffic> now = cluster.settledTraffic();
    List<ReplicaTraffic> changed = since(now, before);
    judge(mode, changed);

    Takeover takeover = replicas > 1 ? kill(cluster, server) : Takeover.NONE;
    double seconds = took.toNanos() / 1e9;
    return new ShareReport.Row(
        mode,
        replicas,
        plan.measured() / seconds,
        Statistics.median(changed, ReplicaTraffic::events) / seconds,
        Statistics.median(changed, ReplicaTraffic::bytes) / seconds,
        Statistics.median(changed, one -> one.dropped() / one.events()),
        (int) now.stream().filter(ReplicaTraffic::selected).count(),
        Statistics.median(now, ReplicaTraffic::ranges),
        Statistics.median(changed, ReplicaTraffic::cpuSeconds) / seconds,
        serverCpu / seconds,
        Statistics.median(started, ReplicaTraffic::listed),
        Statistics.median(started, ReplicaTraffic::listedBytes),
        takeover.millis,
        takeover.objects,
        takeover.bytes);
  }

  private static List<ReplicaTraffic> since(List<ReplicaTraffic> now, List<ReplicaTraffic> before) {
    List<ReplicaTraffic> all = new ArrayList<>();
    for (int i = 0; i < now.size(); i++) {
      all.add(now.get(i).since(before.get(i)));
    }
    return all;
  }

  /** Each change belongs to one replica, and a selecting server must have selected. */
  private void judge(ShareSubject mode, List<ReplicaTraffic> changed) {
    String name = Arguments.key(mode) + ", " + changed.size() + " replicas: ";
    long kept = Math.round(sum(changed, one -> one.events() - one.dropped()));
    if (kept != plan.measured()) {
      broken.add(name + "%d changes were made, %d kept".formatted(plan.measured(), kept));
    }
    // One replica has all namespaces and asks for everything.
    boolean wanted = mode.selects() && changed.size() > 1;
    if (changed.stream().anyMatch(one -> one.selected() != wanted)) {
      broken.add(
          name
              + (wanted
                  ? "the API server does not select; it needs the feature gate ShardedListAndWatch"
                  : "the API server selects, and was not to"));
    }
  }

  /**
   * What follows a kill.
   *
   * @param millis until all slots were held again
   * @param objects that the others listed for that
   */
  private record Takeover(double millis, double objects, double bytes) {
    private static final Takeover NONE = new Takeover(Double.NaN, Double.NaN, Double.NaN);
  }

  private Takeover kill(ShareCluster cluster, ShareServer server) throws IOException {
    Replica victim = cluster.replicas().getLast();
    List<ReplicaTraffic> before = cluster.traffic();
    long killed = System.nanoTime();
    cluster.kill(victim);
    cluster.awaitHeld();
    long held = System.nanoTime();
    List<ReplicaTraffic> listed = since(cluster.settledTraffic(), before);
    // The others must follow what they took over.
    server.writes().change(plan.changes());
    cluster.awaitReconciled();
    return new Takeover(
        (held - killed) / 1e6,
        sum(listed, ReplicaTraffic::listed),
        sum(listed, ReplicaTraffic::listedBytes));
  }

  private static double sum(List<ReplicaTraffic> all, ToDoubleFunction<ReplicaTraffic> figure) {
    return all.stream().mapToDouble(figure).sum();
  }
}
