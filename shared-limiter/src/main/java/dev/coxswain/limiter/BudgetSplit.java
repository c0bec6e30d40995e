// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import org.jspecify.annotations.Nullable;

/**
 * How one budget is divided into the common pool and the floors of the replicas, so that all of them
 * together never exceed it.
 *
 * <p>A pool permit may be used from its time {@code s} to {@code s + permitNanos}. Starts in a
 * window of length T then have their {@code s} in a window of length {@code T + permitNanos}, and
 * the pool hands out that many less at once: {@code capacity = pool burst - ceil(pool rate x
 * permitNanos + floor rate x slackNanos)}. The sum over the pool and all floors is at most {@code
 * burst + rate x T}.
 *
 * <p>Thread rule: immutable.
 *
 * @param poolInterval nanoseconds in which the pool gains a permit, rounded up
 * @param capacity how many permits the pool hands out at once
 * @param permitNanos how long a permit is good for
 * @param slackNanos how much of that is left for the way from taking a permit to the start
 * @param horizon how far ahead, in nanoseconds, the pool promises permits
 * @param outstanding how many permits one replica may have asked for and not used
 * @param floorInterval nanoseconds in which the floor of a replica gains a token; 0 when there are no
 *     floors
 * @param floorBurst how many tokens the floor of a replica holds; 0 when there are no floors
 */
public record BudgetSplit(
    long poolInterval,
    int capacity,
    long permitNanos,
    long slackNanos,
    long horizon,
    int outstanding,
    long floorInterval,
    int floorBurst) {

  /** The longest that a permit is good for. */
  public static final long MAX_PERMIT_NANOS = 250_000_000;

  /** A permit that is good for less than this would often be late before it arrives. */
  static final long MIN_PERMIT_NANOS = 5_000_000;

  /** No permit is promised further ahead: clocks of two machines drift apart. */
  static final long MAX_HORIZON_NANOS = 30_000_000_000L;

  private static final long MAX_SLACK_NANOS = 5_000_000;

  /** The drift of clocks is 1/2048 at most; over this many permit times it takes an eighth each. */
  private static final long HORIZON_PERMITS = 256;

  /** With less there would be no permit left after what their expiry takes. */
  private static final int MIN_POOL_BURST = 2;

  /** How much rate is asked for ahead of its use, to cover the way to the owner and back. */
  private static final double AHEAD_SECONDS = 0.02;

  private static final int MAX_OUTSTANDING = 512;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Returns the shares of a limiter as configured. */
  public static BudgetSplit of(LimiterSpec spec, ClusterShape shape) {
    return of(spec.name(), spec.rate(), spec.burst(), spec.rate(), spec.burst(), shape);
  }

  /**
   * Returns the shares of a limiter under an override. An override that slows down lowers the
   * floors as well; one that speeds up gives the difference to the pool, because a replica that
   * does not receive its end must not keep a floor that is too high.
   *
   * <p>The pool under any limits and floors under any others are within the larger of both: a
   * replica that has not received the override still uses its last floor. So the pool never gets
   * the share of the floors, not even with a burst too small to divide, which leaves the floors
   * empty.
   */
  public static BudgetSplit of(
      LimiterSpec spec, @Nullable RateOverride override, ClusterShape shape) {
    return override == null
        ? of(spec, shape)
        : of(spec.name(), spec.rate(), spec.burst(), override.rate(), override.burst(), shape);
  }

  private static BudgetSplit of(
      String name, double baseRate, int baseBurst, double rate, int burst, ClusterShape shape) {
    int replicas = shape.maxReplicas();
    double share = shape.floorShare();
    int floorBurst =
        share == 0 ? 0 : Math.max(1, (int) (share * Math.min(baseBurst, burst) / replicas));
    int baseFloorBurst = share == 0 ? 0 : Math.max(1, (int) (share * baseBurst / replicas));
    long poolBurst;
    double floorsRate = 0;
    double baseFloorsRate = 0;
    if (floorBurst == 0 || baseBurst - (long) replicas * baseFloorBurst < MIN_POOL_BURST) {
      floorBurst = 0; // too little to divide: everything is in the pool, whatever is overridden
      poolBurst = burst;
    } else {
      // What the pool leaves to the floors depends on no other limits, see decision 0018.
      floorsRate = share * Math.min(baseRate, rate);
      baseFloorsRate = share * baseRate;
      poolBurst =
          burst >= baseBurst
              ? burst - (long) replicas * floorBurst
              : burst - Math.max(replicas, (long) Math.ceil(share * burst));
      if (poolBurst < MIN_POOL_BURST) {
        floorBurst = 0;
        poolBurst = Math.min(burst, MIN_POOL_BURST);
      }
    }
    double poolRate = rate - floorsRate;
    long permit = (long) Math.min(MAX_PERMIT_NANOS, poolBurst / (4 * poolRate) * NANOS_PER_SECOND);
    long slack = Math.min(MAX_SLACK_NANOS, permit / 10);
    // The largest that floor rate x slack is with any limits that a replica may still have.
    double floorsReserve =
        Math.min(
            baseFloorsRate * MAX_SLACK_NANOS / NANOS_PER_SECOND,
            poolBurst * share / (1 - share) / 40);
    long reserve = (long) Math.ceil(poolRate * permit / NANOS_PER_SECOND + floorsReserve);
    if (poolBurst - reserve < 1 || permit < MIN_PERMIT_NANOS) {
      throw new IllegalArgumentException(
          LimiterSpec.key(name, "burst")
              + ": "
              + burst
              + " is too small for "
              + rate
              + " retries per second shared by up to "
              + replicas
              + " replicas, because a permit must be good for at least "
              + MIN_PERMIT_NANOS / 1_000_000
              + " ms; use a larger burst or a lower rate");
    }
    long interval = (long) Math.ceil(NANOS_PER_SECOND / poolRate);
    int capacity = (int) (poolBurst - reserve);
    if (interval > Long.MAX_VALUE / 16 / capacity) {
      throw new IllegalArgumentException(
          LimiterSpec.key(name, "rate")
              + ": "
              + rate
              + " would take centuries to fill a burst of "
              + burst);
    }
    int outstanding = (int) Math.min(MAX_OUTSTANDING, 2 + Math.ceil(poolRate * AHEAD_SECONDS));
    long horizon =
        Math.min(
            Math.min(MAX_HORIZON_NANOS, HORIZON_PERMITS * permit),
            Math.min(interval, MAX_HORIZON_NANOS) * outstanding * replicas);
    long floorInterval =
        floorBurst == 0 ? 0 : (long) Math.ceil(NANOS_PER_SECOND * replicas / floorsRate);
    if (floorBurst > 0 && floorInterval > Long.MAX_VALUE / 16 / floorBurst) {
      throw new IllegalArgumentException(
          "sharedLimiter.floorShare: "
              + shape.floorShare()
              + " of "
              + rate
              + " retries per second (limiter \""
              + name
              + "\") would take centuries to come in");
    }
    return new BudgetSplit(
        interval, capacity, permit, slack, horizon, outstanding, floorInterval, floorBurst);
  }

  /** Returns whether the replicas have floors; without the pool nothing may start when not. */
  public boolean hasFloors() {
    return floorBurst > 0;
  }
}
