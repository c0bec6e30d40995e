// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import java.time.Duration;

/**
 * The times of holding and taking a Lease.
 *
 * <p>Times beyond 68 years, the most that a Lease can hold, are cut to that.
 *
 * <p>Thread rule: immutable.
 *
 * @param leaseDuration how long others wait, without an observed renewal, before they take over
 * @param renewDeadline how long after the last renewal that succeeded (counted from when it was
 *     sent) a leader may act; it must be shorter than the lease, by more than the time a request of
 *     the leader may still be in flight and clocks may drift apart
 * @param retryPeriod how often a leader renews and the others read
 */
public record LeaseOptions(Duration leaseDuration, Duration renewDeadline, Duration retryPeriod) {

  /** A Lease holds its duration as an int of seconds. */
  private static final Duration LONGEST = Duration.ofSeconds(Integer.MAX_VALUE);

  /** The values of client-go: 15 s, 10 s, 2 s. */
  public static final LeaseOptions DEFAULT =
      new LeaseOptions(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));

  public LeaseOptions {
    leaseDuration = cut(leaseDuration);
    renewDeadline = cut(renewDeadline);
    retryPeriod = cut(retryPeriod);
    if (leaseDuration.toSeconds() < 1 || leaseDuration.toNanosPart() != 0) {
      throw new IllegalArgumentException(
          "the lease duration must be whole seconds, at least one: " + leaseDuration);
    }
    if (renewDeadline.compareTo(leaseDuration) >= 0) {
      throw new IllegalArgumentException(
          "the renew deadline must be shorter than the lease: "
              + renewDeadline
              + ", "
              + leaseDuration);
    }
    if (retryPeriod.isNegative()
        || retryPeriod.isZero()
        || retryPeriod.compareTo(renewDeadline) >= 0) {
      throw new IllegalArgumentException(
          "the retry period must be shorter than the renew deadline: "
              + retryPeriod
              + ", "
              + renewDeadline);
    }
  }

  private static Duration cut(Duration duration) {
    return duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
  }
}
