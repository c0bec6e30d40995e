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
 */
public record MembershipOptions(
    String namespace,
    String prefix,
    int count,
    String replica,
    String generation,
    LeaseOptions times) {

  /** The maximum number of Leases; one page of a list must contain them all. */
  public static final int MAX_COUNT = 100;

  /** The number of rounds of renewing and listing in the time after which a view is too old. */
  private static final int ROUNDS_PER_VIEW = 2;

  private static final Duration SHORTEST_GAP = Duration.ofSeconds(2);

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
