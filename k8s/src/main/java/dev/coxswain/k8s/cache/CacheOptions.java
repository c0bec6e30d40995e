// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.internal.time.Durations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * How caches keep up with the API server. Times beyond 73 years are cut to that.
 *
 * <p>Thread rule: immutable.
 *
 * @param minBackoff how long to wait after the first failure; each wait is a random time between
 *     half of its value and all of it
 * @param maxBackoff the longest wait after repeated failures
 * @param backoffReset how long nothing must have failed for the next wait to be the first again
 * @param absentApiWait how often to look for a resource that is not installed
 * @param shortWatch a watch that ends sooner than this with nothing new counts as a failure
 * @param watchTimeout how long the server is asked to keep a watch open; every watch asks for a
 *     random time between this and twice this
 */
@RecordBuilder
public record CacheOptions(
    Duration minBackoff,
    Duration maxBackoff,
    Duration backoffReset,
    Duration absentApiWait,
    Duration shortWatch,
    Duration watchTimeout)
    implements CacheOptionsBuilder.With {

  /** 0.8 s to 30 s as client-go has it, 5 s for an absent API, watches of 5 to 10 minutes. */
  public static final CacheOptions DEFAULT =
      new CacheOptions(
          Duration.ofMillis(800),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofMinutes(5));

  public CacheOptions {
    minBackoff = Durations.clamp(minBackoff);
    maxBackoff = Durations.clamp(maxBackoff);
    backoffReset = Durations.clamp(backoffReset);
    absentApiWait = Durations.clamp(absentApiWait);
    shortWatch = Durations.clamp(shortWatch);
    watchTimeout = Durations.clamp(watchTimeout);
    if (minBackoff.isNegative() || minBackoff.isZero() || maxBackoff.compareTo(minBackoff) < 0) {
      throw new IllegalArgumentException(
          "the backoff must begin above zero and not end below that: "
              + minBackoff
              + " to "
              + maxBackoff);
    }
    if (absentApiWait.isNegative() || absentApiWait.isZero()) {
      throw new IllegalArgumentException("the wait for an absent API must be longer than zero");
    }
    if (watchTimeout.toSeconds() < 1) {
      throw new IllegalArgumentException("the watch timeout must be at least 1 s");
    }
  }
}
