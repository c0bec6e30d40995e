// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/**
 * What a limiter allows: {@code burst + rate x T} in any window of length T. Immutable.
 *
 * @param rate grants per second
 * @param burst how many at once
 */
public record Cap(double rate, int burst) {
  /** As it might be configured. */
  public static final Cap REALISTIC = new Cap(1_000, 200);

  /** The most that can be configured, so that something else is what limits. */
  public static final Cap MOST = new Cap(1_000_000, 1_000_000);
}
