// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.Budget;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Setup;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a run is made.
 *
 * @param ownership {@code sharded} or {@code leader}
 * @param caches {@code filtered} or {@code full}: whether a replica keeps only the objects of its
 *     slots
 * @param slotsBy {@code key} or {@code namespace}: what decides about the slot of an object; with
 *     {@code namespace} the objects are in 200, and {@code selected} is the same on a server that selects
 * @param replicas how many replicas run at first
 * @param objects how many objects there are
 * @param changes changes of objects per second
 * @param work how long each attempt takes
 * @param again after how long each object is reconciled again without a change; negative for never,
 *     otherwise nothing is written
 * @param concurrency attempts at a time on each replica
 * @param seed of the order of changes
 * @param patience how much longer than promised a recovery may take
 */
record OwnershipPlan(
    Setup setup,
    String ownership,
    String caches,
    String slotsBy,
    int replicas,
    int objects,
    int changes,
    Duration work,
    Duration again,
    int concurrency,
    long seed,
    Duration patience) {
  static final int MAX_REPLICAS = 7;

  private static final String KEY = "key";
  private static final String NAMESPACE = "namespace";

  /** The limiter under load in all scenarios; its cap is checked. */
  static final Budget BUDGET = new Budget(20, 40);

  /** No replica starts requests of an idle slot for at most this long when it moves as planned. */
  static final Duration IDLE_HAND_OVER = Duration.ofMillis(50);

  /** A replica begins to act on an expired Lease within this time. */
  private static final Duration TAKEOVER = Duration.ofMillis(1_500);

  /** Returns the options and their defaults, of which some are of a run. */
  static Map<String, String> options(Map<String, String> ofRun) {
    Map<String, String> values = new HashMap<>(Map.of("out", "", "app", "", "network", "loopback"));
    values.putAll(
        Map.of("ownership", "sharded", "caches", "filtered", "replicas", "3", "slots-by", KEY));
    values.putAll(Map.of("lease", "15s", "objects", "2000", "changes", "100", "seed", "1"));
    values.putAll(Map.of("work", "20", "again", "-1", "concurrency", "16", "patience", "0"));
    values.putAll(ofRun);
    return values;
  }

  static OwnershipPlan of(Arguments arguments, PrintStream out) throws IOException {
    return new OwnershipPlan(
        arguments.setup(MAX_REPLICAS, true, out),
        one(arguments, "ownership", "sharded", "leader"),
        one(arguments, "caches", "filtered", "full"),
        one(arguments, "slots-by", KEY, NAMESPACE, "selected"),
        arguments.number("replicas"),
        arguments.number("objects"),
        arguments.number("changes"),
        Duration.ofMillis(arguments.number("work")),
        Duration.ofMillis(Integer.parseInt(arguments.text("again"))),
        arguments.number("concurrency"),
        arguments.number("seed"),
        Duration.ofSeconds(Integer.parseInt(arguments.text("patience"))));
  }

  private static String one(Arguments arguments, String option, String... known) {
    return arguments.names(option, List.of(known)).getFirst();
  }

  Duration lease() {
    return setup.lease();
  }

  /** How long things go on before and after a scenario; a run that judges no times is shorter. */
  Duration calm() {
    return Duration.ofSeconds(patience.isZero() ? 5 : 2);
  }

  boolean byNamespace() {
    return !slotsBy.equals(KEY);
  }

  /** Returns whether the API server selects what lists and watches send. */
  boolean selects() {
    return byNamespace() && !slotsBy.equals(NAMESPACE);
  }

  /** Returns the value of {@code membership.slotsBy}. */
  String division() {
    return byNamespace() ? NAMESPACE : KEY;
  }

  boolean sharded() {
    return ownership.equals("sharded");
  }

  /**
   * Returns the longest time from a failure to the first attempt elsewhere, for every key. Slots are
   * shared by the replicas that are left; a single one, as one leader, has to reconcile all objects.
   *
   * @param failed how many replicas fail at once
   */
  Duration takeover(int failed) {
    Duration promised = lease().plus(TAKEOVER).plus(patience);
    boolean shared = sharded() && replicas - failed > 1;
    return shared ? promised : promised.plus(work.multipliedBy(objects).dividedBy(concurrency));
  }

  /** Returns the longest time from a change to its reconciliation when work moves as planned. */
  Duration plannedGap() {
    return Duration.ofSeconds(sharded() ? 2 : 10).plus(patience);
  }
}
