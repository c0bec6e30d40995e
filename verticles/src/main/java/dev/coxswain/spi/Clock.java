// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import java.time.Instant;

/**
 * A source of time.
 *
 * <p>Thread rule: any thread.
 */
public interface Clock {

  /**
   * Returns the current value of a monotonic clock, in nanoseconds. Only differences between two
   * values of the same clock mean anything; like {@link System#nanoTime()} the value may be
   * negative.
   */
  long nanos();

  /** Returns the wall-clock time, for display only, never for decisions. */
  Instant instant();

  /** Returns the clock of this machine. */
  static Clock system() {
    return SystemClock.INSTANCE;
  }
}
