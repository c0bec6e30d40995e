// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/**
 * The amount of requests of all members together, and what the limiter allows: {@code burst + rate x T} in any window
 * of length T.
 */
enum Load {
  /** One by one, three fifths of what is allowed: a request waits for the machinery only. */
  LIGHT(1_000, 200),

  /** Three hundred wait in each member all the time, for what is allowed. */
  SATURATED(1_000, 200),

  /** The same with the most that can be configured, so that something else is what limits. */
  FULL_SPEED(1_000_000, 1_000_000);

  private static final double PART_OF_RATE = 0.6;
  private static final int WAITING = 300;

  private final double rate;
  private final int burst;

  Load(double rate, int burst) {
    this.rate = rate;
    this.burst = burst;
  }

  double rate() {
    return rate;
  }

  int burst() {
    return burst;
  }

  /** Returns whether each grant is recorded, not only their number. */
  boolean sampled() {
    return this != FULL_SPEED;
  }

  /** Returns how many wait at once for each of so many limiters; 0 when they come one by one. */
  int waiting(int limiters) {
    return this == LIGHT ? 0 : Math.max(1, WAITING / limiters);
  }

  /** Returns the mean time between two that come one by one to one of so many members. */
  double gapNanos(int members) {
    return 1e9 * members / (PART_OF_RATE * rate);
  }
}
