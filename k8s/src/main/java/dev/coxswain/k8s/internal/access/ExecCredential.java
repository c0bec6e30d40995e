// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A credential of a plug-in.
 *
 * <p>Thread rule: immutable.
 *
 * @param credential the credential
 * @param issued when the plug-in has ended
 * @param expiry when it expires, or null when the plug-in does not say
 */
record ExecCredential(Credential credential, Instant issued, @Nullable Instant expiry) {

  private static final Duration LONGEST_MARGIN = Duration.ofMinutes(1);
  private static final int MARGIN_SHARE = 5;

  /** One that has expired when it is issued is used for this long, so that it is not in vain. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** Returns whether requests may no longer use it. */
  boolean isExpired(Instant now) {
    return expiry != null && !now.isBefore(expiry) && !within(issued, SHORTEST, now);
  }

  /**
   * Returns whether it should be renewed: within the last fifth of its life, a minute at most, and
   * not in its first second, or one that has expired when it is issued would be renewed by each
   * request.
   */
  boolean isOld(Instant now) {
    if (expiry == null || within(issued, SHORTEST, now)) {
      return false;
    }
    Duration margin = Duration.between(issued, expiry).dividedBy(MARGIN_SHARE);
    return !now.isBefore(
        expiry.minus(margin.compareTo(LONGEST_MARGIN) > 0 ? LONGEST_MARGIN : margin));
  }

  /** Returns whether less than a period has passed; false when the clock was set back. */
  static boolean within(@Nullable Instant since, Duration period, Instant now) {
    return since != null && !now.isBefore(since) && now.isBefore(since.plus(period));
  }
}
