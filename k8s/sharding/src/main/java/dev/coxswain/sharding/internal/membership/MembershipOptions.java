// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.lease.LeaseOptions;
import java.time.Duration;

/**
 * The options of replica Leases: their names, number and times.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace the namespace of the Leases
 * @param prefix the names are this prefix, a dash and the ordinal
 * @param count the number of ordinals, at most {@link #MAX_COUNT}; the same for all replicas
 * @param replica the name of this replica, for display
 * @param generation the generation of this replica; only replicas of the same one share a pool
 * @param times the times of the Leases; {@link LeaseOptions#retryPeriod} is the renewal interval
 * @param small the number of replicas up to which each lists all Leases to find those that expire
 */
public record MembershipOptions(
    String namespace,
    String prefix,
    int count,
    String replica,
    String generation,
    LeaseOptions times,
    int small) {

  /** The maximum number of Leases; one page of a list must contain them all. */
  public static final int MAX_COUNT = 500;

  /** The maximum number of replicas that share a pool: each needs the others' Leases within the settling time. */
  public static final int MAX_POOL = 100;

  private static final int DEFAULT_SMALL = 50;

  /** The longest time between two readings of a Lease that a replica observes. */
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

  /** The number of rounds of renewing and listing in the time after which a view is too old. */
  private static final int ROUNDS_PER_VIEW = 2;

  private static final Duration SHORTEST_GAP = Duration.ofSeconds(2);

  /** Creates options with the usual number of replicas that is small. */
  public MembershipOptions(
      String namespace,
      String prefix,
      int count,
      String replica,
      String generation,
      LeaseOptions times) {
    this(namespace, prefix, count, replica, generation, times, DEFAULT_SMALL);
  }

  public MembershipOptions {
    if (namespace.isEmpty() || prefix.isEmpty() || replica.isEmpty() || generation.isEmpty()) {
      throw new IllegalArgumentException(
          "replica leases need a namespace, a prefix, a replica name and a generation");
    }
    if (count < 1 || count > MAX_COUNT) {
      throw new IllegalArgumentException(
          "the number of replica leases must be from 1 to " + MAX_COUNT + ": " + count);
    }
    if (times
            .retryPeriod()
            .multipliedBy(ROUNDS_PER_VIEW)
            .compareTo(times.renewDeadline().dividedBy(2))
        > 0) {
      throw new IllegalArgumentException(
          "a replica lease must be renewed at least "
              + 2 * ROUNDS_PER_VIEW
              + " times within the renew deadline: "
              + times.retryPeriod()
              + ", "
              + times.renewDeadline());
    }
  }

  /**
   * The greatest age of a list of the other replicas with which the pool is used, and the time that a new replica must wait before using it: every user of the pool has then been listed by all others.
   */
  Duration settle() {
    // In nanoseconds: Duration divides with decimal numbers of any size, and this is called often.
    return Duration.ofNanos(times.renewDeadline().toNanos() / 2);
  }

  /** Returns whether so many replicas are too many for each to list all Leases all the time. */
  public boolean isLarge(int held) {
    return held > small;
  }

  /** Returns the time in which the Leases that a replica observes are read: as lists, or one by one. */
  Duration observationPeriod() {
    Duration half = Duration.ofNanos(times.retryPeriod().toNanos() / 2);
    return half.compareTo(LONGEST_PERIOD) < 0 ? half : LONGEST_PERIOD;
  }

  /**
   * Returns the time between two lists of so many Leases. With many it grows with their number, so that
   * what all replicas list grows like their number and not like its square, up to what the pool needs; without a pool,
   * up to the renew deadline.
   */
  public Duration listPeriod(int held) {
    long least = observationPeriod().toNanos();
    if (!isLarge(held)) {
      return Duration.ofNanos(least);
    }
    long most = count <= MAX_POOL ? settle().toNanos() * 3 / 5 : times.renewDeadline().toNanos();
    return Duration.ofNanos(Math.max(least, Math.min(least * held / small, most)));
  }

  /** The longest time without a list after which earlier observations of Leases still count. */
  Duration gap() {
    Duration two = times.retryPeriod().plus(times.retryPeriod());
    return two.compareTo(SHORTEST_GAP) > 0 ? two : SHORTEST_GAP;
  }

  /** Returns the name of the Lease of an ordinal. */
  String lease(int ordinal) {
    return prefix + "-" + ordinal;
  }
}
