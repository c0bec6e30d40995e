// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

/**
 * Finds the window in which most retries started, measured against a cap of {@code burst + rate x
 * T} in any window of length T. Works for the starts of one process and of many alike, as long as
 * their times are those of one clock.
 *
 * <p>Thread rule: any thread; stateless.
 */
public final class WindowChecker {
  private static final double NANOS_PER_SECOND = 1e9;

  private WindowChecker() {}

  /**
   * The worst of all windows.
   *
   * <p>Thread rule: immutable.
   *
   * @param excess by how many retries the window exceeded the cap; zero or less when the cap was
   *     kept, minus infinity when nothing started
   * @param starts how many retries started in it
   * @param fromNanos the time of its first start
   * @param toNanos the time of its last start
   */
  public record Window(double excess, int starts, long fromNanos, long toNanos) {

    /** Returns whether the cap was kept in every window. */
    public boolean kept() {
      return excess <= 0;
    }
  }

  /**
   * Finds the worst window in one pass. A window from start j to start i exceeds by {@code (i - j +
   * 1) - rate x (t_i - t_j) - burst}, so the least {@code j - rate x t_j} so far is all that
   * matters.
   *
   * @param times when retries started, of one monotonic clock, in nanoseconds, ascending
   * @param count how many of the times count, from the first
   * @param rate retries per second
   * @param burst the burst
   * @throws IllegalArgumentException when the times are not ascending
   */
  public static Window worst(long[] times, int count, double rate, int burst) {
    Window worst = new Window(Double.NEGATIVE_INFINITY, 0, 0, 0);
    double least = Double.POSITIVE_INFINITY;
    int first = 0;
    for (int i = 0; i < count; i++) {
      if (i > 0 && times[i] - times[i - 1] < 0) {
        throw new IllegalArgumentException("the times are not ascending at " + i);
      }
      double paid = rate * (times[i] - times[0]) / NANOS_PER_SECOND;
      if (i - paid < least) {
        least = i - paid;
        first = i;
      }
      double excess = i + 1 - paid - least - burst;
      if (excess > worst.excess) {
        worst = new Window(excess, i - first + 1, times[first], times[i]);
      }
    }
    return worst;
  }
}
