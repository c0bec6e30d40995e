// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheOptions;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The backoff of a reflector after failures: doubled each time up to a maximum, with jitter so that
 * many reflectors do not reconnect at once, and reset after a time without failures.
 *
 * <p>Thread rule: confined to its reflector's thread.
 */
final class ReconnectBackoff {

  private final CacheOptions options;
  private final Clock clock;
  private final RandomGenerator random;
  private int failures;
  private long lastFailureEnd;

  ReconnectBackoff(CacheOptions options, Clock clock, RandomGenerator random) {
    this.options = options;
    this.clock = clock;
    this.random = random;
  }

  /** Counts a failure and returns how long to wait: from half of the nominal wait to all of it. */
  Duration next() {
    long now = clock.nanos();
    if (failures > 0 && now - lastFailureEnd >= options.backoffReset().toNanos()) {
      failures = 0;
    }
    long max = options.maxBackoff().toNanos();
    long nominal = options.minBackoff().toNanos();
    for (int i = 0; i < failures && nominal < max; i++) {
      nominal = Math.min(max, nominal * 2);
    }
    failures = Math.min(failures + 1, 1_000);
    long wait = nominal / 2 + (long) (random.nextDouble() * (nominal - nominal / 2));
    lastFailureEnd = now + wait;
    return Duration.ofNanos(wait);
  }
}
