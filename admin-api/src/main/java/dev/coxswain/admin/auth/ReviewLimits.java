// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import dev.coxswain.internal.time.Durations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * The limits of reviews of tokens and rights, and the lifetimes of cached decisions. A token or
 * right that was revoked is still accepted for these lifetimes.
 *
 * <p>Thread rule: immutable.
 *
 * @param acceptedFor how long an accepted token is cached, unless it expires before
 * @param rejectedFor how long a refused token is cached
 * @param allowedFor how long a right to read is cached
 * @param allowedChangeFor how long a right to change something is cached
 * @param deniedFor how long a missing right is cached
 * @param maxEntries the number of cached decisions of each kind; the least recently used one is
 *     evicted
 * @param maxAtOnce how many reviews may run at once; more get 503
 * @param perAddress token reviews per second that one address may cause without an accepted token,
 *     with a burst of twice as many; more get 429
 * @param overall token reviews per second for all addresses, with a burst of twice as many; more
 *     get 503
 * @param timeout the time limit of a review for a request; then it gets 503
 */
@RecordBuilder
public record ReviewLimits(
    Duration acceptedFor,
    Duration rejectedFor,
    Duration allowedFor,
    Duration allowedChangeFor,
    Duration deniedFor,
    int maxEntries,
    int maxAtOnce,
    int perAddress,
    int overall,
    Duration timeout)
    implements ReviewLimitsBuilder.With {

  /**
   * A minute and 5 s for tokens, 30 s, 10 s and 5 s for rights, 1024 of each, 32 at once, 10/s from
   * an address, 50/s from all, 4 s.
   */
  public static final ReviewLimits DEFAULT =
      new ReviewLimits(
          Duration.ofMinutes(1),
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          1024,
          32,
          10,
          50,
          Duration.ofSeconds(4));

  public ReviewLimits {
    if (maxEntries < 1 || maxAtOnce < 1 || perAddress < 1 || overall < 1) {
      throw new IllegalArgumentException("the limits of reviews must be at least 1");
    }
    acceptedFor = Durations.clamp(acceptedFor);
    rejectedFor = Durations.clamp(rejectedFor);
    allowedFor = Durations.clamp(allowedFor);
    allowedChangeFor = Durations.clamp(allowedChangeFor);
    deniedFor = Durations.clamp(deniedFor);
    timeout = Durations.clamp(timeout);
    if (timeout.toMillis() < 1) {
      throw new IllegalArgumentException("the timeout of reviews must be at least 1 ms");
    }
  }
}
