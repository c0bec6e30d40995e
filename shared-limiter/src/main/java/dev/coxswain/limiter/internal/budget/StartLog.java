// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

/**
 * The start times of the latest retries of this replica, by its monotonic clock, and the limits in
 * force then.
 *
 * <p>Thread rule: guarded by the budget.
 */
public final class StartLog {
  /** The number of starts that are stored. */
  public static final int SIZE = 512;

  private final long[] ring = new long[SIZE];
  private final double[] rates = new double[SIZE];
  private final int[] bursts = new int[SIZE];
  private long count;

  /** Stores a start with the rate and burst in force. */
  void started(long now, double rate, int burst) {
    int at = (int) (count++ % SIZE);
    ring[at] = now;
    rates[at] = rate;
    bursts[at] = burst;
  }

  private int kept() {
    return (int) Math.min(count, SIZE);
  }

  /** Returns the largest rate at one of the starts; 0 when there was none. */
  double largestRate() {
    double largest = 0;
    for (int i = 0; i < kept(); i++) {
      largest = Math.max(largest, rates[i]);
    }
    return largest;
  }

  /** Returns the largest burst at one of the starts; 0 when there was none. */
  int largestBurst() {
    int largest = 0;
    for (int i = 0; i < kept(); i++) {
      largest = Math.max(largest, bursts[i]);
    }
    return largest;
  }

  /** Returns when the latest retry started; undefined before the first one. */
  long last() {
    return ring[(int) ((count - 1) % SIZE)];
  }

  /** Returns the times, the oldest first. */
  long[] times() {
    int kept = kept();
    long[] times = new long[kept];
    for (int i = 0; i < kept; i++) {
      times[i] = ring[(int) ((count - kept + i) % SIZE)];
    }
    return times;
  }
}
