// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.cluster.Starts;
import dev.coxswain.bench.failures.cluster.Waits;
import dev.coxswain.bench.failures.ownership.HandOverReader.HandOver;
import dev.coxswain.bench.failures.ownership.OwnershipChecker.Finding;
import dev.coxswain.bench.failures.ownership.OwnershipScenario.Expectation;
import dev.coxswain.bench.report.Statistics;
import dev.coxswain.retry.WindowChecker;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs scenarios one after another on the same replicas while objects change, and judges each.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class OwnershipSuite implements AutoCloseable {
  private static final Duration SETTLE_LIMIT = Duration.ofSeconds(90);

  /** With some hundred attempts a replica is rarely further from an equal share by chance. */
  private static final double UNSETTLED = 0.35;

  private static final Duration FILL_LIMIT = Duration.ofMinutes(4);
  private static final int SHOWN = 5;

  private final OwnershipCluster cluster;
  private final OwnershipPlan plan;
  private final ChangeFeed feed;
  private final ObjectWatch watch;
  private final List<OwnershipRow> rows = new ArrayList<>();

  private OwnershipSuite(OwnershipCluster cluster, ChangeFeed feed, ObjectWatch watch) {
    this.cluster = cluster;
    this.plan = cluster.plan();
    this.feed = feed;
    this.watch = watch;
  }

  /** Creates the objects, starts the replicas and returns when everything is reconciled. */
  static OwnershipSuite start(OwnershipCluster cluster) throws IOException {
    OwnershipPlan plan = cluster.plan();
    ChangeFeed feed = ChangeFeed.of(cluster);
    feed.create();
    cluster.tell(plan.objects() + " objects, seed " + plan.seed());
    ObjectWatch watch = ObjectWatch.start(cluster.calls());
    cluster.start(IntStream.range(0, plan.replicas()).toArray());
    cluster.awaitReady();
    cluster.tell("ready");
    OwnershipSuite suite = new OwnershipSuite(cluster, feed, watch);
    if (!Waits.until(
        FILL_LIMIT, () -> watch.count() == plan.objects() && suite.unreconciled().isEmpty())) {
      throw new IOException(suite.unreconciled().size() + " objects were never reconciled");
    }
    return suite;
  }

  private List<String> unreconciled() {
    return watch.unreconciled(feed.failing());
  }

  /** Runs the scenarios and returns a row for each. */
  List<OwnershipRow> run(List<OwnershipScenario> scenarios) throws IOException {
    for (OwnershipScenario scenario : scenarios) {
      String impossible = scenario.impossible(cluster.network());
      if (impossible.isEmpty()) {
        OwnershipRow row = run(scenario);
        rows.add(row);
        cluster.tell(row.toString());
        JsonArray json = new JsonArray(rows.stream().map(OwnershipRow::json).toList());
        Files.writeString(plan.folder().resolve("rows.json"), json.encodePrettily() + "\n");
      } else {
        cluster.tell("skipped " + scenario.key() + ": " + impossible);
      }
    }
    return List.copyOf(rows);
  }

  private OwnershipRow run(OwnershipScenario scenario) throws IOException {
    cluster.tell("== " + scenario.key() + ": " + scenario.what());
    List<String> notes = new ArrayList<>();
    List<String> failing =
        scenario == OwnershipScenario.RETRIES
            ? feed.keys().subList(0, feed.keys().size() / 10)
            : List.of();
    feed.fail(failing, true);
    feed.resume();
    Waits.pass(plan.calm());
    if (!Waits.until(SETTLE_LIMIT, this::settled)) {
      notes.add("not settled before");
    }
    Replica victim = busiest();
    Map<String, String> holders = cluster.calls().holders();
    if (scenario.isIdle()) {
      feed.pause();
      Waits.pass(plan.calm());
    }
    long fault = System.nanoTime();
    scenario.run(cluster, victim);
    Waits.pass(plan.calm());
    feed.pause();
    feed.fail(failing, false);
    Duration limit = plan.lease().multipliedBy(2).plusSeconds(30).plus(plan.patience());
    Waits.until(limit, () -> unreconciled().isEmpty());
    long to = System.nanoTime();
    if (scenario.expectation() == Expectation.NOTHING_MOVES
        && !holders.equals(cluster.calls().holders())) {
      notes.add("holders of replica Leases changed: " + holders + cluster.calls().holders());
    }
    cluster.crashed().forEach(name -> notes.add(name + " ended by itself"));
    return judge(scenario, victim, fault, to, failing, notes);
  }

  /** Returns whether no key has moved for a while and, if work is shared, all have their share. */
  private boolean settled() throws IOException {
    long now = System.nanoTime();
    return new OwnershipChecker(cluster.attempts()).moves(now - plan.calm().toNanos(), now) == 0
        && (!plan.sharded() || cluster.unfairness(cluster.latest(plan.calm())) < UNSETTLED);
  }

  /** Returns the replica that began most attempts lately. */
  private Replica busiest() throws IOException {
    Map<String, Long> counts =
        cluster.latest(plan.calm()).stream()
            .collect(Collectors.groupingBy(Attempt::process, Collectors.counting()));
    cluster.tell("attempts in " + plan.calm().toSeconds() + " s: " + counts);
    return cluster.replicas().stream()
        .max(Comparator.comparingLong(one -> counts.getOrDefault(one.processName(), 0L)))
        .orElseThrow();
  }

  private OwnershipRow judge(
      OwnershipScenario scenario,
      Replica victim,
      long fault,
      long to,
      List<String> failing,
      List<String> notes)
      throws IOException {
    OwnershipChecker checker = new OwnershipChecker(cluster.attempts());
    List<Finding> overlaps = within(checker.overlaps(), fault, to);
    List<Finding> stale = within(checker.staleWrites(watch.history()), fault, to);
    List<String> lost = unreconciled();
    Collection<Long> recovered =
        scenario.expectation() == Expectation.TAKEOVER
            ? checker
                .recoveries(
                    checker.keysOf(victim.processName(), fault), victim.processName(), fault, to)
                .values()
            : List.of();
    Map<String, Long> gapOf = checker.gaps(feed.between(fault, to), to);
    Collection<Long> gaps = gapOf.values();
    List<String> evidence = new ArrayList<>();
    overlaps.forEach(finding -> evidence.add(finding.nanos() + " " + finding.text()));
    stale.forEach(finding -> evidence.add(finding.nanos() + " " + finding.text()));
    lost.forEach(key -> evidence.add("lost: " + key));
    evidence.stream().limit(SHOWN).forEach(cluster::tell);
    evidence.addAll(longest(gapOf, feed.between(fault, to), checker.between(fault, to)));
    Files.write(plan.folder().resolve("findings-" + scenario.key() + ".txt"), evidence);
    int moves = checker.moves(fault, to);
    List<HandOver> handOvers = cluster.handOvers(fault, to);
    List<Long> unowned = handOvers.stream().map(HandOver::nanos).toList();
    cluster.tell("closed at and unowned for, in ms: " + inOrder(handOvers, fault));
    switch (scenario.expectation()) {
      case TAKEOVER -> late("recovery", worst(recovered), plan.takeover(scenario.failed()), notes);
      case GAP -> late("change to write", worst(gaps), plan.plannedGap(), notes);
      case IDLE, IDLE_AND_COLD -> {
        if (unowned.isEmpty()) {
          notes.add("no slot moved");
        }
        if (scenario.expectation() == Expectation.IDLE) {
          late("hand-over", worst(unowned), OwnershipPlan.IDLE_HAND_OVER, notes);
        }
      }
      case NOTHING_MOVES -> {
        if (moves > 0) {
          notes.add("keys moved");
        }
      }
    }
    if (!failing.isEmpty()) {
      cluster.tell(
          failing.size()
              + " failing objects: "
              + checker.between(fault, to).stream()
                  .filter(one -> failing.contains(one.key()))
                  .collect(Collectors.groupingBy(Attempt::trigger, Collectors.counting())));
    }
    return new OwnershipRow(
        scenario.key(),
        median(recovered),
        worst(recovered),
        median(gaps),
        worst(gaps),
        moves,
        unowned.size(),
        1e3 * median(unowned),
        1e3 * worst(unowned),
        overlaps.size(),
        stale.size(),
        lost.size(),
        (int) checker.between(fault, to).stream().filter(Attempt::refused).count(),
        excess(fault, to),
        String.join("; ", notes));
  }

  /** Returns the records of the keys with the longest gaps. */
  private static List<String> longest(
      Map<String, Long> gaps, List<ObjectChange> changes, List<Attempt> attempts) {
    List<String> lines = new ArrayList<>();
    gaps.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(SHOWN)
        .forEach(gap -> {
          String key = gap.getKey();
          lines.add("gap of " + key + ": " + gap.getValue() + " ns");
          changes.stream()
              .filter(one -> one.key().equals(key))
              .forEach(one -> lines.add(one.toString()));
          attempts.stream()
              .filter(one -> one.key().equals(key))
              .forEach(one -> lines.add(one.toString()));
        });
    return lines;
  }

  private static void late(String what, double seconds, Duration limit, List<String> notes) {
    if (seconds > limit.toMillis() / 1e3) {
      notes.add(
          String.format(
              Locale.ROOT, "%s: %.3f s, limit %.3f s", what, seconds, limit.toMillis() / 1e3));
    }
  }

  private static List<Finding> within(List<Finding> findings, long from, long to) {
    return findings.stream().filter(one -> one.nanos() >= from && one.nanos() < to).toList();
  }

  private double excess(long from, long to) throws IOException {
    WindowChecker.Window worst =
        Starts.read(plan.folder()).between(from, to).worst(OwnershipPlan.BUDGET);
    return worst.excess();
  }

  private static double median(Collection<Long> nanos) {
    return Statistics.median(nanos, value -> value / 1e9);
  }

  private static double worst(Collection<Long> nanos) {
    return nanos.stream().mapToDouble(value -> value / 1e9).max().orElse(Double.NaN);
  }

  @Override
  public void close() {
    feed.close();
    watch.close();
  }

  /** Returns when each slot was closed and for how long it was, in the order of these times. */
  private static String inOrder(List<HandOver> handOvers, long from) {
    return handOvers.stream()
        .sorted(Comparator.comparingLong(HandOver::closed))
        .map(one -> (one.closed() - from) / 1_000_000 + ":" + one.nanos() / 1_000_000)
        .collect(Collectors.joining(" "));
  }
}
