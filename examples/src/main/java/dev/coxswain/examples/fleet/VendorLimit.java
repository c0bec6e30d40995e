// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

/**
 * The rate limit of the vendor: so many requests per second, and a second's worth at once.
 *
 * <p>Thread rule: any thread.
 */
final class VendorLimit {

  private static final double NANOS_PER_SECOND = 1e9;

  private final int ratePerSecond;
  private double tokens;
  private long filledAt;
  private boolean used;

  VendorLimit(int ratePerSecond) {
    this.ratePerSecond = ratePerSecond;
    this.tokens = ratePerSecond;
  }

  /** Takes a token if there is one at a time of a monotonic clock. */
  synchronized boolean tryAcquire(long nanos) {
    if (used) {
      double gained = (nanos - filledAt) / NANOS_PER_SECOND * ratePerSecond;
      tokens = Math.min(ratePerSecond, tokens + Math.max(0, gained));
    }
    used = true;
    filledAt = nanos;
    if (tokens < 1) {
      return false;
    }
    tokens--;
    return true;
  }
}
