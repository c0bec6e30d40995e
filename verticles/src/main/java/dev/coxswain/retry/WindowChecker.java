// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import java.util.List;

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
   * A rate and a burst that hold from a time on, until the next ones do.
   *
   * <p>Thread rule: immutable.
   *
   * @param fromNanos from when they hold, of the clock of the starts
   * @param rate retries per second
   * @param burst the burst
   */
  public record Limit(long fromNanos, double rate, int burst) {}

  /**
   * Finds the worst window when the limits change. A window may hold the burst that holds at its
   * first start, plus what came in until its last start, each part of it at the rate that held
   * then.
   *
   * @param times when retries started, of one monotonic clock, in nanoseconds, ascending
   * @param count how many of the times count, from the first
   * @param limits the limits, ascending; the first hold for all that was before as well
   * @throws IllegalArgumentException when there is no limit, or times are not ascending
   */
  public static Window worst(long[] times, int count, List<Limit> limits) {
    if (limits.isEmpty()) {
      throw new IllegalArgumentException("there is no limit");
    }
    Window worst = new Window(Double.NEGATIVE_INFINITY, 0, 0, 0);
    double least = Double.POSITIVE_INFINITY;
    int first = 0;
    int inForce = 0;
    double paid = 0; // what came in since the first start
    long until = count == 0 ? 0 : times[0];
    for (int i = 0; i < count; i++) {
      if (times[i] - until < 0) {
        throw new IllegalArgumentException("the times are not ascending at " + i);
      }
      while (inForce + 1 < limits.size() && limits.get(inForce + 1).fromNanos() - times[i] <= 0) {
        long change = limits.get(inForce + 1).fromNanos();
        if (change - until > 0) {
          paid += limits.get(inForce).rate() * (change - until) / NANOS_PER_SECOND;
          until = change;
        }
        inForce++;
      }
      Limit limit = limits.get(inForce);
      paid += limit.rate() * (times[i] - until) / NANOS_PER_SECOND;
      until = times[i];
      if (i - paid + limit.burst() < least) {
        least = i - paid + limit.burst();
        first = i;
      }
      double excess = i + 1 - paid - least;
      if (excess > worst.excess) {
        worst = new Window(excess, i - first + 1, times[first], times[i]);
      }
    }
    return worst;
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
