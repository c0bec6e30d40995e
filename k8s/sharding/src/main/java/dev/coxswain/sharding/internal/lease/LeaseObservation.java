// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time of the last observed change of a Lease, on the monotonic clock of this process. The
 * times inside the Lease come from another clock and are never used.
 *
 * <p>Thread rule: confined to one thread.
 */
public final class LeaseObservation {

  private String version = "";
  private long seenAt;

  /** Records the Lease as observed at {@code now}. */
  public void observe(LeaseRecord lease, long now) {
    observe(lease, false, now);
  }

  /**
   * Records the Lease as observed at {@code now}.
   *
   * @param anew whether its present version counts as observed from now on in any case
   */
  public void observe(LeaseRecord lease, boolean anew, long now) {
    boolean changed = !lease.resourceVersion().equals(version);
    version = lease.resourceVersion();
    seenAt = LeaseRules.observedSince(seenAt, anew || changed, now);
  }

  /**
   * Returns how long the Lease must still be assumed to be held; zero when it has expired.
   *
   * @param lease the Lease as last observed
   * @param otherwise the duration of a Lease without one
   */
  public Duration left(LeaseRecord lease, long now, Duration otherwise) {
    return Duration.ofNanos(LeaseRules.left(seenAt, held(lease, otherwise), now));
  }

  /**
   * Returns whether more than half of the duration has passed without a change; the parameters are
   * those of {@link #left}.
   */
  public boolean isSilent(LeaseRecord lease, long now, Duration otherwise) {
    return LeaseRules.left(seenAt, held(lease, otherwise) / 2, now) == 0;
  }

  private static long held(LeaseRecord lease, Duration otherwise) {
    return TimeUnit.SECONDS.toNanos(lease.durationSeconds(otherwise.toSeconds()));
  }
}
