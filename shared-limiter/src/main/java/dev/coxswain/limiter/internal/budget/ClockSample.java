// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.bucket.PoolReply;
import org.jspecify.annotations.Nullable;

/**
 * The difference between the monotonic clocks of a pool's owner and of this process, as one call
 * has shown it.
 *
 * <p>Thread rule: immutable.
 *
 * @param ownerHigh which process it is
 * @param ownerLow which process it is, the other half
 * @param offset what must be added to a time here to get one there
 * @param error by how much that may be wrong, either way
 * @param takenAt when, by the clock here
 */
record ClockSample(long ownerHigh, long ownerLow, long offset, long error, long takenAt) {

  /** Two clocks drift apart by one part in this many, at most. */
  private static final int DRIFT = 2048;

  static ClockSample of(PoolReply reply, long sentAt, long receivedAt) {
    long error = (receivedAt - sentAt) / 2;
    return new ClockSample(
        reply.ownerHigh(),
        reply.ownerLow(),
        reply.ownerNanos() - (sentAt + error),
        error + 1,
        receivedAt);
  }

  /** Returns the error by now. */
  long errorAt(long now) {
    return error + Math.max(0, now - takenAt) / DRIFT;
  }

  /** Returns the better of two samples: of the newest owner, with the smaller error by now. */
  static ClockSample better(@Nullable ClockSample old, ClockSample fresh) {
    return old != null
            && old.ownerHigh == fresh.ownerHigh
            && old.ownerLow == fresh.ownerLow
            && old.errorAt(fresh.takenAt) < fresh.error
        ? old
        : fresh;
  }
}
