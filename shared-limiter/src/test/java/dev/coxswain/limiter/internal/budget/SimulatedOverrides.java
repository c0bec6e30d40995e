// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.RateOverride;
import dev.coxswain.retry.WindowChecker.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The overrides of a {@link LimiterSimulation}: any during the faults, and a lower one in peace.
 * What was promised until that has settled is the largest of all limits; from then on it is the
 * lower one, until that ends.
 *
 * <p>Thread rule: one thread.
 */
final class SimulatedOverrides {
  private static final long MS = 1_000_000;

  /** Replicas have looked at the pool within this time, also when some answers are lost. */
  private static final long HEARD = 3_000 * MS;

  private static final long JUDGED = 6_000 * MS;

  private final LimiterSpec spec;
  private final ClusterShape shape;
  private final Random random;
  private final long loweredAt;
  private final RateOverride lower;
  private final long settles;
  private double maxRate;
  private int maxBurst;
  private long settledAt;
  private long endsAt;

  SimulatedOverrides(LimiterSpec spec, ClusterShape shape, Random random, long loweredAt) {
    this.spec = spec;
    this.shape = shape;
    this.random = random;
    this.loweredAt = loweredAt;
    this.maxRate = spec.rate();
    this.maxBurst = spec.burst();
    RateOverride lowest = some(0.2, 0.5);
    // No promise is further ahead than this, see PoolChange.
    this.settles =
        BudgetSplit.of(spec, shape).horizon()
            + SimulatedSeats.LEASE_NANOS
            + BudgetSplit.MAX_PERMIT_NANOS
            + HEARD;
    long time = settles + JUDGED + (random.nextInt(3) == 0 ? 0 : 1_000_000 * MS);
    this.lower = new RateOverride(0, lowest.rate(), lowest.burst(), time);
    this.settledAt = Long.MAX_VALUE;
  }

  private RateOverride some(double rateFrom, double rateTo) {
    while (true) {
      RateOverride some =
          new RateOverride(
              0,
              spec.rate() * (rateFrom + random.nextDouble() * (rateTo - rateFrom)),
              Math.max(2, (int) (spec.burst() * (0.3 + random.nextDouble()))),
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
    RateOverride some = some(0.2, 3);
    if (random.nextInt(5) == 0) {
      return new RateOverride(0, spec.rate(), spec.burst(), 0);
    }
    maxRate = Math.max(maxRate, some.rate());
    maxBurst = Math.max(maxBurst, some.burst());
    return some;
  }

  /** Returns when the limit is lowered. */
  long loweredAt() {
    return loweredAt;
  }

  RateOverride lower() {
    return lower;
  }

  /** The limit was lowered by a call that was sent and answered at these times. */
  void lowered(long sentAt, long answeredAt) {
    settledAt = answeredAt + settles;
    endsAt = sentAt + lower.leftNanos(); // counted from when the owner had it, which was later
    maxBurst = Math.max(maxBurst, lower.burst());
  }

  /** Returns since when only the lower limit holds. */
  long settledAt() {
    return settledAt;
  }

  /** Returns until when it does. */
  long endsAt() {
    return Math.min(endsAt, end());
  }

  /** Returns how many retries should start meanwhile at the rate. */
  double expected() {
    return Math.max(0, lower.rate() * (endsAt() - settledAt) / 1e9);
  }

  /** Returns when all has been seen. */
  long end() {
    return loweredAt + settles + JUDGED + 4_000 * MS;
  }

  List<Limit> limits() {
    List<Limit> limits = new ArrayList<>();
    limits.add(new Limit(0, maxRate, maxBurst));
    if (settledAt < endsAt) {
      limits.add(new Limit(settledAt, lower.rate(), lower.burst()));
      limits.add(
          new Limit(
              endsAt, Math.max(spec.rate(), lower.rate()), Math.max(spec.burst(), lower.burst())));
    }
    return limits;
  }
}
