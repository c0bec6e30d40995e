// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import dev.coxswain.internal.time.Durations;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * How often somebody else is asked about tokens and rights, and for how long the answers hold. What
 * has been revoked elsewhere is still taken here for as long as that.
 *
 * <p>Thread rule: immutable.
 *
 * @param acceptedFor how long a good token is known, unless it expires before
 * @param rejectedFor how long a bad token is known
 * @param allowedFor how long a right to look is known
 * @param allowedChangeFor how long a right to change something is known
 * @param deniedFor how long a missing right is known
 * @param maxEntries how many answers of each kind are known; the least recently used one goes
 * @param maxAtOnce how many reviews may be under way; more get 503
 * @param perAddress reviews of tokens per second that one address may cause without showing a good
 *     one, and twice as many at once; more get 429
 * @param overall reviews of tokens per second for all addresses, and twice as many at once; more
 *     get 503
 * @param timeout how long a request waits for a review; then it gets 503
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
