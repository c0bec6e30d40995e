// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import dev.coxswain.internal.time.Durations;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Doubles with every failure; see {@link Backoff#exponential}. */
record ExponentialBackoff(long baseNanos, long maxNanos, double jitter) implements Backoff {

  ExponentialBackoff(Duration base, Duration max, double jitter) {
    this(Durations.saturatedNanos(base), Durations.saturatedNanos(max), jitter);
  }

  ExponentialBackoff {
    if (baseNanos <= 0) {
      throw new IllegalArgumentException("the base delay must be positive: " + baseNanos + " ns");
    }
    if (maxNanos < baseNanos) {
      throw new IllegalArgumentException("the largest delay must not be less than the base delay");
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException("jitter must be from 0 to 1: " + jitter);
    }
  }

  @Override
  public Backoff with(@Nullable Duration base, @Nullable Duration max, @Nullable Double jitter) {
    long nextBase = base == null ? baseNanos : Durations.saturatedNanos(base);
    long nextMax = max == null ? maxNanos : Durations.saturatedNanos(max);
    if (max == null && nextMax < nextBase) {
      nextMax = nextBase;
    } else if (base == null) {
      nextBase = Math.min(nextBase, nextMax);
    }
    return new ExponentialBackoff(nextBase, nextMax, jitter == null ? this.jitter : jitter);
  }

  @Override
  public long delayNanos(int failures) {
    int doublings = Math.max(0, failures - 1);
    // A shift is only exact while no set bit leaves the word; beyond that the maximum is reached.
    long delay =
        doublings >= Long.numberOfLeadingZeros(baseNanos)
            ? maxNanos
            : Math.min(maxNanos, baseNanos << doublings);
    if (jitter == 0) {
      return delay;
    }
    long longer = delay + (long) (delay * jitter * ThreadLocalRandom.current().nextDouble());
    return longer < 0 ? Long.MAX_VALUE : longer;
  }
}
