// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import dev.coxswain.sharding.internal.lease.LeaseRules;

/**
 * The times of ownership, in the unit of the monotonic clock, nanoseconds in production.
 *
 * <p>Thread rule: immutable.
 *
 * @param leaseDuration how long an observer waits for a change of a Lease before it ends it
 * @param grace how long before that the holder stops writing, see {@link #writeDeadline}. It exceeds
 *     {@code requestLife} by what two clocks can drift apart within one {@code leaseDuration}.
 * @param requestLife the longest time from the start of a write to its effect on the server
 * @param startMargin how much time must be left to start an attempt
 * @param writeMargin how much time must be left to send a write
 */
public record SlotTimes(
    long leaseDuration, long grace, long requestLife, long startMargin, long writeMargin) {

  public SlotTimes {
    if (requestLife <= 0 || grace < requestLife || leaseDuration <= grace) {
      throw new IllegalArgumentException(
          "the life of a request, the grace and the duration of a Lease must increase: "
              + requestLife
              + ", "
              + grace
              + ", "
              + leaseDuration);
    }
    if (startMargin < 0 || writeMargin < 0) {
      throw new IllegalArgumentException("margins must not be negative");
    }
  }

  /** Returns until when a holder may write whose last successful renewal was sent then. */
  public long writeDeadline(long sent) {
    return LeaseRules.writeDeadline(sent, leaseDuration - grace);
  }

  /** Returns whether enough time is left to start an attempt. */
  public boolean mayStart(long writeDeadline, long now) {
    return LeaseRules.mayAct(writeDeadline - startMargin, now);
  }

  /** Returns whether enough time is left to send a write. */
  public boolean mayWrite(long writeDeadline, long now) {
    return LeaseRules.mayAct(writeDeadline - writeMargin, now);
  }

  /** Returns whether a write that was sent then, and not answered, can no longer have an effect. */
  public boolean isOver(long sent, long now) {
    return now - sent >= requestLife;
  }
}
