// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import org.jspecify.annotations.Nullable;

/**
 * The difference between the monotonic clocks of a pool's owner and of this process, measured by
 * one call.
 *
 * <p>Thread rule: immutable.
 *
 * @param ownerHigh the id of the owner, upper half
 * @param ownerLow the lower half of that id
 * @param offset the owner's clock minus the local clock
 * @param error the largest error of the offset, in either direction
 * @param takenAt the time of the measurement, by the local clock
 */
record ClockSample(long ownerHigh, long ownerLow, long offset, long error, long takenAt) {

  static ClockSample of(PoolReply reply, long sentAt, long receivedAt) {
    long error = (receivedAt - sentAt) / 2;
    return new ClockSample(
        reply.ownerHigh(),
        reply.ownerLow(),
        reply.ownerNanos() - (sentAt + error),
        error + 1,
        receivedAt);
  }

  /** Returns the largest error at a time, with the drift since the measurement. */
  long errorAt(long now) {
    return error + Math.max(0, now - takenAt) / BudgetSplit.CLOCK_PARTS;
  }

  /** Returns the better of two samples: that of the newest owner, with the smaller error. */
  static ClockSample better(@Nullable ClockSample old, ClockSample fresh) {
    return old != null
            && old.ownerHigh == fresh.ownerHigh
            && old.ownerLow == fresh.ownerLow
            && old.errorAt(fresh.takenAt) < fresh.error
        ? old
        : fresh;
  }
}
