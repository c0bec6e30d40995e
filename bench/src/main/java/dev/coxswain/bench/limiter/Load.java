// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/** The amount of requests of all members together. */
public enum Load {
  /** One by one, three fifths of what is allowed: a request waits for the machinery only. */
  LIGHT,

  /** Three hundred wait in each member all the time, for what is allowed. */
  SATURATED,

  /** The same with more allowed than can be granted. */
  FULL_SPEED;

  private static final double PART_OF_RATE = 0.6;
  private static final int WAITING = 300;

  /** Returns what is allowed. */
  public Cap cap() {
    return this == FULL_SPEED ? Cap.MOST : Cap.REALISTIC;
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
    return 1e9 * members / (PART_OF_RATE * cap().rate());
  }
}
