// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The delay of a request after its n-th failure in a row.
 *
 * <p>Thread rule: any thread; implementations are stateless.
 */
@FunctionalInterface
public interface Backoff {

  /** The delay after the first failure, as in client-go: 5 ms. */
  Duration DEFAULT_BASE = Duration.ofMillis(5);

  /** The largest delay, as in client-go: 1000 s. */
  Duration DEFAULT_MAX = Duration.ofSeconds(1000);

  /**
   * Returns the delay before the next attempt.
   *
   * @param failures how many attempts have failed in a row, at least 1
   * @return nanoseconds, never negative
   */
  long delayNanos(int failures);

  /**
   * Returns an exponential backoff with the given parts, as {@link #exponential(Duration, Duration,
   * double)} describes them. A part that is null is that of this backoff if it is exponential, and
   * the default otherwise; of base and largest delay the given one counts where they contradict.
   */
  default Backoff with(@Nullable Duration base, @Nullable Duration max, @Nullable Double jitter) {
    return new ExponentialBackoff(DEFAULT_BASE, DEFAULT_MAX, 0).with(base, max, jitter);
  }

  /** Returns 5 ms doubling to 1000 s: 5, 10, 20, 40 ms and so on. */
  static Backoff standard() {
    return exponential(DEFAULT_BASE, DEFAULT_MAX);
  }

  /**
   * Returns an exponential backoff: {@code base x 2^(failures - 1)}, never more than {@code max},
   * exact and without overflow for any number of failures.
   *
   * @param base the first delay, positive
   * @param max the largest delay, not less than {@code base}
   */
  static Backoff exponential(Duration base, Duration max) {
    return new ExponentialBackoff(base, max, 0);
  }

  /**
   * Returns an exponential backoff with jitter: each delay is lengthened by a random share of
   * itself.
   *
   * @param base the first delay, positive
   * @param max the largest delay before jitter, not less than {@code base}
   * @param jitter the largest share that is added, from 0 (none) to 1 (up to double)
   */
  static Backoff exponential(Duration base, Duration max, double jitter) {
    return new ExponentialBackoff(base, max, jitter);
  }

  /**
   * Returns a backoff of {@code fast} for the first failures and {@code slow} from then on.
   *
   * @param fast the delay at first, not negative
   * @param slow the delay later, not negative
   * @param fastAttempts after how many failures it becomes slow
   */
  static Backoff fastSlow(Duration fast, Duration slow, int fastAttempts) {
    return new FastSlowBackoff(fast, slow, fastAttempts);
  }
}
