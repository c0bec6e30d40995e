// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

/**
 * When the latest retries of this replica started, by its own monotonic clock.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class StartLog {
  /** How many starts are remembered. */
  static final int SIZE = 512;

  private final long[] ring = new long[SIZE];
  private long count;

  void started(long now) {
    ring[(int) (count++ % SIZE)] = now;
  }

  /** Returns when the latest retry started; only when there was one. */
  long last() {
    return ring[(int) ((count - 1) % SIZE)];
  }

  /** Returns the times, the oldest first. */
  long[] times() {
    int kept = (int) Math.min(count, SIZE);
    long[] times = new long[kept];
    for (int i = 0; i < kept; i++) {
      times[i] = ring[(int) ((count - kept + i) % SIZE)];
    }
    return times;
  }
}
