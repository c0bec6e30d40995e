// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import dev.coxswain.k8s.lease.LeaseOptions;
import java.time.Duration;

/**
 * Which seats there are, and how one is held.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace where the Leases are
 * @param prefix their names are this, a dash and a number from 0
 * @param count how many seats there are, at most {@link #MAX_COUNT}; the same for all replicas
 * @param replica the name of this replica, for people
 * @param generation which replicas may share a pool with this one: those of the same generation
 * @param times how a seat is held; {@link LeaseOptions#retryPeriod} is how often it is renewed
 */
public record MembershipOptions(
    String namespace,
    String prefix,
    int count,
    String replica,
    String generation,
    LeaseOptions times) {

  /** The most seats there can be; one page of a list must hold them all. */
  public static final int MAX_COUNT = 100;

  /** How many rounds of renewing and listing fit into the time after which a view is too old. */
  private static final int ROUNDS_PER_VIEW = 2;

  public MembershipOptions {
    if (namespace.isEmpty() || prefix.isEmpty() || replica.isEmpty() || generation.isEmpty()) {
      throw new IllegalArgumentException(
          "a seat needs a namespace, a prefix, the name of its replica and a generation");
    }
    if (count < 1 || count > MAX_COUNT) {
      throw new IllegalArgumentException(
          "the number of seats must be from 1 to " + MAX_COUNT + ": " + count);
    }
    if (times
            .retryPeriod()
            .multipliedBy(ROUNDS_PER_VIEW)
            .compareTo(times.renewDeadline().dividedBy(2))
        > 0) {
      throw new IllegalArgumentException(
          "a seat must be renewed at least "
              + 2 * ROUNDS_PER_VIEW
              + " times within the renew deadline: "
              + times.retryPeriod()
              + ", "
              + times.renewDeadline());
    }
  }

  /**
   * How old a view of the other replicas may be for the pool to be used on it, and for how long a
   * new replica leaves the pool alone: so that nobody uses it whom another user cannot have seen.
   */
  Duration settle() {
    return times.renewDeadline().dividedBy(2);
  }

  /** Returns the name of the Lease of a seat. */
  String lease(int seat) {
    return prefix + "-" + seat;
  }
}
