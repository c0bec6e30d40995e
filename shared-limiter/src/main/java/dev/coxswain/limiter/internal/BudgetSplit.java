// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import org.jspecify.annotations.Nullable;

/**
 * The division of one budget into the common pool and the floors of the replicas. Together they
 * never exceed the budget.
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
 * @param permitNanos how long a permit is valid
 * @param slackNanos the part of that which is reserved for the time between taking a permit and the
 *     start of the retry
 * @param horizon how far ahead, in nanoseconds, the pool grants permits
 * @param outstanding how many permits one replica may have requested and not used
 * @param floorInterval nanoseconds in which the floor of a replica gains a token; 0 when there are
 *     no floors
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

  /** The longest validity of a permit. */
  public static final long MAX_PERMIT_NANOS = 250_000_000;

  /**
   * The clocks of two hosts differ in speed by at most one part in this many: 5 %, as ownership
   * assumes. Time services of two hosts may pull them apart by a thousandth at any time.
   */
  public static final int CLOCK_PARTS = 20;

  /** A shorter validity would often end before the permit arrives. */
  static final long MIN_PERMIT_NANOS = 5_000_000;

  /** No permit is granted further ahead, because the clocks of two machines drift apart. */
  static final long MAX_HORIZON_NANOS = 30_000_000_000L;

  private static final long MAX_SLACK_NANOS = 5_000_000;

  /**
   * How many validities ahead permits are granted. A permit loses one part in {@link #CLOCK_PARTS} of
   * the time until its begin, and of that until its end: at most 35 % of its validity.
   */
  private static final long HORIZON_PERMITS = 3;

  /** With a smaller burst the reserve for expiring permits would leave none. */
  private static final int MIN_POOL_BURST = 2;

  /** The time before their use at which permits are requested, to cover a round trip to the owner. */
  private static final double AHEAD_SECONDS = 0.02;

  private static final int MAX_OUTSTANDING = 512;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Returns the split of a limiter as configured. */
  public static BudgetSplit of(LimiterSpec spec, ClusterShape shape) {
    return of(spec.name(), spec.rate(), spec.burst(), spec.rate(), spec.burst(), shape);
  }

  /**
   * Returns the split of a limiter under an override. A slower override also lowers the floors. A
   * faster one adds only to the pool, because a replica that does not receive its end must not keep
   * a floor that is too high.
   *
   * <p>The pool under one limit and the floors under another are together within the larger of the
   * two, because a replica that has not received the override still uses its last floor. So the
   * pool never gets the share of the floors, even when the burst is too small to divide and the
   * floors are empty.
   */
  public static BudgetSplit of(
      LimiterSpec spec, @Nullable RateOverride override, ClusterShape shape) {
    return override == null
        ? of(spec, shape)
        : of(spec.name(), spec.rate(), spec.burst(), override.rate(), override.burst(), shape);
  }

  /**
   * Returns the split while replicas may have different configurations: the pool of the larger
   * limits, which reserves their floors, with the floors of the smaller ones.
   *
   * @param smaller the smaller limits, or null for no floors
   */
  public static BudgetSplit of(
      LimiterSpec larger,
      @Nullable LimiterSpec smaller,
      @Nullable RateOverride override,
      ClusterShape shape) {
    BudgetSplit pool = of(larger, override, shape);
    long interval = 0;
    int burst = 0;
    if (smaller != null) {
      try {
        BudgetSplit floors = of(smaller, override, shape);
        interval = floors.floorInterval;
        burst = floors.floorBurst;
      } catch (IllegalArgumentException e) {
        // The override does not fit the smaller limits: no floors.
      }
    }
    return new BudgetSplit(
        pool.poolInterval,
        pool.capacity,
        pool.permitNanos,
        pool.slackNanos,
        pool.horizon,
        pool.outstanding,
        interval,
        burst);
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
      floorBurst = 0; // too little to divide: the pool gets everything, under every override
      poolBurst = burst;
    } else {
      // The part for the floors depends on these limits alone, see ADR 0018.
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
    // The largest floor rate x slack under any limits that a replica may still use.
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
              + " retries per second on up to "
              + replicas
              + " replicas: a permit must be valid for at least "
              + MIN_PERMIT_NANOS / 1_000_000
              + " ms; use a larger burst or a lower rate");
    }
    long interval = (long) Math.ceil(NANOS_PER_SECOND / poolRate);
    int capacity = (int) (poolBurst - reserve);
    if (interval > Long.MAX_VALUE / 16 / capacity) {
      throw new IllegalArgumentException(
          LimiterSpec.key(name, "rate") + ": " + rate + " is too low to fill a burst of " + burst);
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
              + "\") is too low to fill the floor of a replica");
    }
    return new BudgetSplit(
        interval, capacity, permit, slack, horizon, outstanding, floorInterval, floorBurst);
  }

  /** Returns whether the replicas have floors; if not, retries start only with pool permits. */
  public boolean hasFloors() {
    return floorBurst > 0;
  }
}
