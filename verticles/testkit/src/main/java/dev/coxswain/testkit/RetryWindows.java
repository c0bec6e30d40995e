// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import dev.coxswain.retry.WindowChecker;
import java.util.Arrays;

/**
 * A collection of retry starts, with the window in which most of them exceeded a cap.
 *
 * <p>Thread rule: one thread.
 */
public final class RetryWindows {
  private long[] times = new long[64];
  private int count;

  /** Creates an empty collection. */
  public RetryWindows() {}

  /** Adds the start of a retry; times must not go back. */
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
   * less when the cap was kept.
   */
  public double worstExcess(double rate, int burst) {
    return WindowChecker.worst(times, count, rate, burst).excess();
  }
}
