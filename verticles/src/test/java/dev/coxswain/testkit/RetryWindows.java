// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import java.util.Arrays;

/**
 * Collects when retries started and finds the window in which most of them exceeded a cap.
 *
 * <p>Thread rule: one thread.
 */
public final class RetryWindows {
  private long[] times = new long[64];
  private int count;

  /** Creates an empty collection. */
  public RetryWindows() {}

  /** Tells that a retry started; times must not go back. */
  public void started(long nanos) {
    if (count > 0 && nanos - times[count - 1] < 0) {
      throw new IllegalArgumentException("the time went back");
    }
    if (count == times.length) {
      times = Arrays.copyOf(times, count * 2);
    }
    times[count++] = nanos;
  }

  /** Returns how many retries started. */
  public int count() {
    return count;
  }

  /** Returns when a retry started. */
  public long at(int index) {
    return times[index];
  }

  /**
   * Returns by how many retries the worst of all windows exceeded {@code burst + rate x T}; zero or
   * less when the cap was kept. One pass: a window from retry j to retry i exceeds by {@code (i - j
   * + 1) - rate x (t_i - t_j) - burst}, so the least {@code j - rate x t_j} so far is all that
   * matters.
   */
  public double worstExcess(double rate, int burst) {
    double worst = Double.NEGATIVE_INFINITY;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      double paid = rate * (times[i] - times[0]) / 1e9;
      least = Math.min(least, i - paid);
      worst = Math.max(worst, i + 1 - paid - least - burst);
    }
    return worst;
  }
}
