// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.cluster.Budget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How a run is made.
 *
 * <p>Thread rule: immutable.
 *
 * @param app an installed copy
 * @param folder where everything of the run is written
 * @param ownership {@code sharded} or {@code leader}
 * @param caches {@code filtered} or {@code full}: whether a replica keeps only the objects of its
 *     slots
 * @param replicas how many replicas run at first
 * @param lease how long a Lease lasts
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
    Path app,
    Path folder,
    String ownership,
    String caches,
    int replicas,
    Duration lease,
    int objects,
    int changes,
    Duration work,
    Duration again,
    int concurrency,
    long seed,
    Duration patience) {

  OwnershipPlan {
    if (!List.of("filtered", "full").contains(caches)) {
      throw new IllegalArgumentException("caches must be filtered or full, not " + caches);
    }
  }

  /** The addresses of all replicas are known beforehand. */
  static final int MAX_REPLICAS = 7;

  /** The limiter under load in all scenarios; its cap is checked. */
  static final Budget BUDGET = new Budget(20, 40);

  /** No replica starts requests of an idle slot for at most this long when it moves as planned. */
  static final Duration IDLE_HAND_OVER = Duration.ofMillis(50);

  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(15);

  /** A replica begins to act on an expired Lease within this time. */
  private static final Duration TAKEOVER = Duration.ofMillis(1_500);

  /** As the fast profile of the design for Leases shorter than the default. */
  Duration renewPeriod() {
    return Duration.ofMillis(lease.compareTo(DEFAULT_LEASE) < 0 ? 800 : 2_000);
  }

  /** How long things go on before and after a scenario; a run that judges no times is shorter. */
  Duration calm() {
    return Duration.ofSeconds(patience.isZero() ? 5 : 2);
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
    Duration promised = lease.plus(TAKEOVER).plus(patience);
    boolean shared = sharded() && replicas - failed > 1;
    return shared ? promised : promised.plus(work.multipliedBy(objects).dividedBy(concurrency));
  }

  /** Returns the longest time from a change to its reconciliation when work moves as planned. */
  Duration plannedGap() {
    return Duration.ofSeconds(sharded() ? 2 : 10).plus(patience);
  }
}
