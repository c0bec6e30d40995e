// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.internal.time.Durations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * The timing of list and watch. Times beyond 73 years are cut to that.
 *
 * <p>Thread rule: immutable.
 *
 * @param minBackoff how long to wait after the first failure; each wait is a random time between
 *     half of its value and all of it
 * @param maxBackoff the longest wait after repeated failures
 * @param backoffReset how long no failure must have occurred for the backoff to be reset
 * @param absentApiWait how often a resource that is not installed is polled
 * @param shortWatch a watch that ends sooner than this without events counts as a failure
 * @param watchTimeout the requested duration of a watch; each requests a random time between this
 *     and twice this
 * @param firstSlotsWait how long the first list of a filtered cache waits while no slot is kept: a
 *     list before that contains nothing that is needed, and is followed by another one
 */
@RecordBuilder
public record CacheOptions(
    Duration minBackoff,
    Duration maxBackoff,
    Duration backoffReset,
    Duration absentApiWait,
    Duration shortWatch,
    Duration watchTimeout,
    Duration firstSlotsWait)
    implements CacheOptionsBuilder.With {

  /**
   * 0.8 s to 30 s as in client-go, 5 s for an absent API, watches of 5 to 10 minutes, 0.3 s for the
   * first slots.
   */
  public static final CacheOptions DEFAULT =
      new CacheOptions(
          Duration.ofMillis(800),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofMinutes(5),
          Duration.ofMillis(300));

  public CacheOptions {
    minBackoff = Durations.clamp(minBackoff);
    maxBackoff = Durations.clamp(maxBackoff);
    backoffReset = Durations.clamp(backoffReset);
    absentApiWait = Durations.clamp(absentApiWait);
    shortWatch = Durations.clamp(shortWatch);
    watchTimeout = Durations.clamp(watchTimeout);
    firstSlotsWait = Durations.clamp(firstSlotsWait);
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
