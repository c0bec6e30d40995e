// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.reconcile.Trigger;

/**
 * What is recorded of one attempt. Times are nanoseconds of the machine's monotonic clock.
 *
 * @param process the process that made it, such as {@code r0-1}
 * @param id its number in the process
 * @param key the name of the object
 * @param epoch the epoch of the slot, or 0
 * @param generation the generation that it read
 * @param end when it ended, or {@link #RUNNING}
 * @param mayWrite the last time at which it certainly was permitted to write, or {@link #NEVER}
 * @param written when it requested its acknowledged write, or {@link #NEVER}
 * @param version the resourceVersion of that write, or 0
 * @param refused whether a write was refused because the replica did not own the object
 */
record Attempt(
    String process,
    long id,
    String key,
    long epoch,
    Trigger trigger,
    long begin,
    long generation,
    long end,
    long mayWrite,
    long written,
    long version,
    boolean refused) {
  static final long RUNNING = Long.MAX_VALUE;
  static final long NEVER = Long.MIN_VALUE;

  /** Returns whether both belong to one ownership: the same process in the same epoch. */
  boolean sameOwner(Attempt other) {
    return process.equals(other.process) && epoch == other.epoch;
  }

  /** Returns whether its ownership is later than that of another attempt. */
  boolean newerThan(Attempt other) {
    return epoch > other.epoch || (epoch == other.epoch && begin > other.begin);
  }
}
