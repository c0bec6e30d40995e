// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

/**
 * The arithmetic of Leases, on the monotonic clock of one process, in any unit. No two clocks are
 * compared.
 *
 * <p>The holder acts only until {@link #writeDeadline}; another process ends the Lease only after it
 * has observed one version of it for the whole duration. The grace between both is longer than the
 * longest life of a request, so no request of a holder arrives after the end of its Lease.
 *
 * <p>Thread rule: any thread.
 */
public final class LeaseRules {

  private LeaseRules() {}

  /**
   * Returns until when the holder may act.
   *
   * @param sent when the last successful renewal was sent
   * @param renewDeadline the duration of the Lease without the grace
   */
  public static long writeDeadline(long sent, long renewDeadline) {
    return sent + renewDeadline;
  }

  /** Returns whether the holder may still act. */
  public static boolean mayAct(long writeDeadline, long now) {
    return now - writeDeadline < 0;
  }

  /**
   * Returns whether the observer has been away for so long that it must observe every Lease anew:
   * the holders may have been as unable to renew their Leases as it was to read them. This includes
   * a pause of its own process, before the request or before its response was read.
   *
   * @param last when the last list was received
   * @param sent when the request of this list was sent
   * @param gap the longest time that does not matter
   */
  public static boolean wasAway(long last, long sent, long now, long gap) {
    return sent - last > gap || now - sent > gap;
  }

  /**
   * Returns since when the present version of a Lease has been observed.
   *
   * @param before since when the version of the last observation was
   * @param anew whether the Lease has changed since, or the observer was away
   */
  public static long observedSince(long before, boolean anew, long now) {
    return anew ? now : before;
  }

  /** Returns how long a Lease must still be assumed to be held; zero when it may be ended. */
  public static long left(long observedSince, long duration, long now) {
    return Math.max(0, duration - (now - observedSince));
  }
}
