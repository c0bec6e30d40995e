// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import static dev.coxswain.retry.RetryBudget.MAX_BURST;
import static dev.coxswain.retry.RetryBudget.MAX_RATE;
import static dev.coxswain.retry.RetryBudget.MIN_RATE;

import java.util.Objects;

/**
 * The configuration of one shared limiter; the same on all replicas.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the name of the limiter
 * @param rate retries per second over all replicas, from one a day to a million
 * @param burst how many retries may start at once, from 2 to a million; its minimum depends on the
 *     rate, see {@link MemberOptions#check}
 * @param maxRate the largest rate that an override may set
 * @param maxBurst the largest burst that an override may set
 */
public record LimiterSpec(String name, double rate, int burst, double maxRate, int maxBurst) {
  /** Creates a limiter; errors name the key of the configuration. */
  public LimiterSpec {
    Objects.requireNonNull(name, "name");
    checkRate(name, rate);
    checkBurst(name, burst);
    if (!(maxRate >= rate && maxRate <= MAX_RATE)) {
      throw new IllegalArgumentException(
          key(name, "maxRate")
              + ": expected a number from the rate, "
              + rate
              + ", to "
              + MAX_RATE
              + ", found "
              + maxRate);
    }
    if (maxBurst < burst || maxBurst > MAX_BURST) {
      throw new IllegalArgumentException(
          key(name, "maxBurst")
              + ": expected a whole number from the burst, "
              + burst
              + ", to "
              + MAX_BURST
              + ", found "
              + maxBurst);
    }
  }

  /** Creates a limiter that an override can slow down and not speed up. */
  public LimiterSpec(String name, double rate, int burst) {
    this(name, rate, burst, rate, burst);
  }

  /** Returns the larger rate and the larger burst of both; they are the ceilings as well. */
  public LimiterSpec orLarger(LimiterSpec other) {
    return new LimiterSpec(name, Math.max(rate, other.rate), Math.max(burst, other.burst));
  }

  /** Returns the smaller rate and the smaller burst of both; they are the ceilings as well. */
  public LimiterSpec orSmaller(LimiterSpec other) {
    return new LimiterSpec(name, Math.min(rate, other.rate), Math.min(burst, other.burst));
  }

  /** Returns whether rate and burst are the same; ceilings may differ. */
  public boolean limitsAs(LimiterSpec other) {
    return rate == other.rate && burst == other.burst;
  }

  public static String key(String limiter, String field) {
    return "limiters." + limiter + "." + field;
  }

  public static void checkRate(String limiter, double rate) {
    if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
      throw new IllegalArgumentException(
          key(limiter, "rate")
              + ": expected a number of retries per second from 1/86400 to 1000000, found "
              + rate);
    }
  }

  public static void checkBurst(String limiter, int burst) {
    if (burst < 1 || burst > MAX_BURST) {
      throw new IllegalArgumentException(
          key(limiter, "burst")
              + ": expected a whole number from 1 to "
              + MAX_BURST
              + ", found "
              + burst);
    }
  }
}
