// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static dev.coxswain.testing.report.Table.number;

import dev.coxswain.bench.failures.Row;
import dev.coxswain.bench.failures.Starts;
import dev.coxswain.bench.failures.ownership.HandOverReader.HandOver;
import dev.coxswain.bench.failures.ownership.OwnershipChecker.Finding;
import dev.coxswain.bench.failures.ownership.OwnershipScenario.Expectation;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.process.Waits;
import dev.coxswain.testing.report.Statistics;
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

/**
 * Runs scenarios one after another on the same replicas while objects change, and judges each.
 */
final class OwnershipSuite {
  /** How often a key changed its process. */
  static final String MOVED = "keys moved";

  /** Described in docs/evidence/ownership-failures.md. */
  private static final List<String> COLUMNS =
      List.of(
          "scenario",
          "recovered s, median",
          "worst",
          "change to write s, median",
          "worst",
          MOVED,
          "slots handed over",
          "unowned ms, median",
          "worst",
          "overlaps",
          "stale writes",
          "lost",
          "writes refused",
          "worst window excess",
          "note");

  private static final Duration SETTLE_LIMIT = Duration.ofSeconds(90);

  /** With some hundred attempts a replica is rarely further from an equal share by chance. */
  private static final double UNSETTLED = 0.35;

  private static final int SHOWN = 5;

  private final OwnershipCluster cluster;
  private final OwnershipPlan plan;
  private final ChangeFeed feed;

  OwnershipSuite(OwnershipCluster cluster) {
    this.cluster = cluster;
    this.plan = cluster.plan();
    this.feed = cluster.feed();
  }

  /** Runs the scenarios and returns a row for each. */
  List<Row> run(List<OwnershipScenario> scenarios) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (OwnershipScenario scenario : scenarios) {
      String impossible = scenario.impossible(cluster.network());
      if (impossible.isEmpty()) {
        rows.add(run(scenario));
        cluster.tell(rows.getLast().toString());
      } else {
        cluster.tell("skipped " + Arguments.key(scenario) + ": " + impossible);
      }
    }
    return rows;
  }

  private Row run(OwnershipScenario scenario) throws IOException {
    cluster.tell("== " + Arguments.key(scenario) + ": " + scenario.what());
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
    Waits.until(limit, () -> cluster.unreconciled().isEmpty());
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

  private Row judge(
      OwnershipScenario scenario,
      Replica victim,
      long fault,
      long to,
      List<String> failing,
      List<String> notes)
      throws IOException {
    OwnershipChecker checker = new OwnershipChecker(cluster.attempts());
    List<Attempt> attempts = checker.between(fault, to);
    List<Finding> overlaps = within(checker.overlaps(), fault, to);
    List<Finding> stale = within(checker.staleWrites(cluster.watch().history()), fault, to);
    List<String> lost = cluster.unreconciled();
    String process = victim.processName();
    Collection<Long> recovered =
        scenario.expectation() == Expectation.TAKEOVER
            ? checker.recoveries(checker.keysOf(process, fault), process, fault, to).values()
            : List.of();
    Collection<Long> gaps = checker.gaps(feed.between(fault, to), to).values();
    int moves = checker.moves(fault, to);
    List<Long> unowned = cluster.handOvers(fault, to).stream().map(HandOver::nanos).toList();

    List<String> evidence = new ArrayList<>();
    overlaps.forEach(finding -> evidence.add(finding.nanos() + " " + finding.text()));
    stale.forEach(finding -> evidence.add(finding.nanos() + " " + finding.text()));
    lost.forEach(key -> evidence.add("lost: " + key));
    evidence.stream().limit(SHOWN).forEach(cluster::tell);
    String file = "findings-" + Arguments.key(scenario) + ".txt";
    Files.write(plan.setup().folder().resolve(file), evidence);

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
              + attempts.stream()
                  .filter(one -> failing.contains(one.key()))
                  .collect(Collectors.groupingBy(Attempt::trigger, Collectors.counting())));
    }
    double excess =
        Starts.read(plan.setup().folder()).between(fault, to).worst(OwnershipPlan.BUDGET).excess();
    List<String> cells =
        List.of(
            Arguments.key(scenario),
            number(median(recovered), 2),
            number(worst(recovered), 2),
            number(median(gaps), 2),
            number(worst(gaps), 2),
            Integer.toString(moves),
            Integer.toString(unowned.size()),
            number(1e3 * median(unowned), 1),
            number(1e3 * worst(unowned), 1),
            Integer.toString(overlaps.size()),
            Integer.toString(stale.size()),
            Integer.toString(lost.size()),
            Long.toString(attempts.stream().filter(Attempt::refused).count()),
            number(excess, 1),
            String.join("; ", notes));
    boolean good =
        overlaps.isEmpty() && stale.isEmpty() && lost.isEmpty() && excess <= 0 && notes.isEmpty();
    return new Row(COLUMNS, cells, good);
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

  private static double median(Collection<Long> nanos) {
    return Statistics.median(nanos, value -> value / 1e9);
  }

  private static double worst(Collection<Long> nanos) {
    return nanos.stream().mapToDouble(value -> value / 1e9).max().orElse(Double.NaN);
  }
}
