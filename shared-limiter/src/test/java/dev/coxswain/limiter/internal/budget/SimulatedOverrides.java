// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.retry.WindowChecker.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The overrides of a {@link LimiterSimulation}: any during the faults, or any that slow down, and a
 * lower one in peace. What was promised until that has settled is the largest of all limits; from
 * then on it is the lower one, until that ends.
 *
 * <p>Thread rule: one thread.
 */
final class SimulatedOverrides {
  private static final long MS = 1_000_000;

  /**
   * How much faster than the time of the simulation a clock is at most: rates are by clocks. As many
   * are slower, so two clocks differ by up to 4.9 %.
   */
  static final double FASTEST_CLOCK = 1.024;

  /** Replicas have looked at the pool within this time, also when some answers are lost. */
  private static final long HEARD = 3_000 * MS;

  private static final long JUDGED = 6_000 * MS;

  private final LimiterSpec spec;
  private final ClusterShape shape;
  private final Random random;
  private final long loweredAt;
  private final boolean onlySlower;
  private final RateOverride lower;
  private final long settles;
  private final BudgetSplit lowerShares;
  private long leastSlack;
  private double maxRate;
  private int maxBurst;
  private long settledAt;
  private long endsAt;

  SimulatedOverrides(LimiterSpec spec, ClusterShape shape, Random random, long loweredAt) {
    this.spec = spec;
    this.shape = shape;
    this.random = random;
    this.loweredAt = loweredAt;
    this.onlySlower = random.nextBoolean();
    this.maxRate = spec.rate();
    this.maxBurst = spec.burst();
    this.leastSlack = BudgetSplit.of(spec, shape).slackNanos();
    RateOverride lowest = some(0.2, 0.5);
    // No promise is further ahead than this, see PoolChange.
    this.settles =
        BudgetSplit.of(spec, shape).horizon()
            + SimulatedLeases.LEASE_NANOS
            + BudgetSplit.MAX_PERMIT_NANOS
            + HEARD;
    long time = settles + JUDGED + (random.nextBoolean() ? 0 : 1_000_000 * MS);
    this.lower = new RateOverride(0, lowest.rate(), lowest.burst(), time);
    this.lowerShares = BudgetSplit.of(spec, lower, shape);
    this.settledAt = Long.MAX_VALUE;
  }

  private RateOverride some(double rateFrom, double rateTo) {
    while (true) {
      RateOverride some =
          new RateOverride(
              0,
              spec.rate() * (rateFrom + random.nextDouble() * (rateTo - rateFrom)),
              onlySlower
                  ? Math.min(spec.burst(), 2 + random.nextInt(random.nextBoolean() ? 5 : 60))
                  : Math.max(2, (int) (spec.burst() * (0.3 + random.nextDouble()))),
              1 + random.nextLong(6_000 * MS));
      try {
        BudgetSplit.of(spec, some, shape);
        return some;
      } catch (IllegalArgumentException e) {
        // a burst too small for the rate is refused
      }
    }
  }

  /** Returns any override, or the end of one. */
  RateOverride next() {
    RateOverride some = onlySlower ? some(random.nextBoolean() ? 0.2 : 1, 1) : some(0.2, 3);
    if (random.nextInt(5) == 0) {
      return new RateOverride(0, spec.rate(), spec.burst(), 0);
    }
    leastSlack = Math.min(leastSlack, BudgetSplit.of(spec, some, shape).slackNanos());
    maxRate = Math.max(maxRate, some.rate());
    maxBurst = Math.max(maxBurst, some.burst());
    return some;
  }

  /** Returns when the limit is lowered. */
  long loweredAt() {
    return loweredAt;
  }

  RateOverride lower() {
    leastSlack = Math.min(leastSlack, lowerShares.slackNanos());
    return lower;
  }

  /**
   * Returns the least time that any limits so far leave for the way to a start: it is assumed to be
   * enough for all permits and tokens of those limits.
   */
  long leastSlack() {
    return leastSlack;
  }

  /** Returns how many permits of the lower limit are lost at most when a replica crashes. */
  int lostInCrash() {
    return lowerShares.outstanding();
  }

  /** The limit was lowered by a call that was sent and answered at these times. */
  void lowered(long sentAt, long answeredAt) {
    settledAt = answeredAt + settles;
    // Counted from when the owner had it, which was later; by its clock, which may be faster.
    endsAt = sentAt + (long) (lower.leftNanos() / FASTEST_CLOCK);
    maxBurst = Math.max(maxBurst, lower.burst());
  }

  /** Returns how long a permit of the lower limit is valid. */
  long permitLife() {
    return lowerShares.permitNanos();
  }

  /** Returns since when only the lower limit holds. */
  long settledAt() {
    return settledAt;
  }

  /** Returns until when it does. */
  long endsAt() {
    return Math.min(endsAt, end());
  }

  /** Returns how many retries should start meanwhile at the rates of the pool and of the floors. */
  double expected(int replicas) {
    double rate = 1e9 / lowerShares.poolInterval();
    rate += lowerShares.hasFloors() ? replicas * 1e9 / lowerShares.floorInterval() : 0;
    return Math.max(0, rate * (endsAt() - settledAt) / 1e9);
  }

  /** Returns when all has been seen. */
  long end() {
    return loweredAt + settles + JUDGED + 4_000 * MS;
  }

  /** Returns the limits of each time, at the speed of the fastest clock. */
  List<Limit> limits() {
    List<Limit> limits = new ArrayList<>();
    limits.add(new Limit(0, maxRate * FASTEST_CLOCK, maxBurst));
    if (settledAt < endsAt) {
      limits.add(new Limit(settledAt, lower.rate() * FASTEST_CLOCK, lower.burst()));
      limits.add(
          new Limit(
              endsAt,
              Math.max(spec.rate(), lower.rate()) * FASTEST_CLOCK,
              Math.max(spec.burst(), lower.burst())));
    }
    return limits;
  }
}
