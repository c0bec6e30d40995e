// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import dev.coxswain.internal.time.Durations;
import java.time.Duration;

/** A short delay at first and a long one later; see {@link Backoff#fastSlow}. */
record FastSlowBackoff(long fastNanos, long slowNanos, int fastAttempts) implements Backoff {

  FastSlowBackoff(Duration fast, Duration slow, int fastAttempts) {
    this(Durations.toNanos(fast), Durations.toNanos(slow), fastAttempts);
  }

  FastSlowBackoff {
    if (fastNanos < 0 || slowNanos < 0) {
      throw new IllegalArgumentException("delays must not be negative");
    }
    if (fastAttempts < 0) {
      throw new IllegalArgumentException("fastAttempts must not be negative: " + fastAttempts);
    }
  }

  @Override
  public long delayNanos(int failures) {
    return failures <= fastAttempts ? fastNanos : slowNanos;
  }
}
