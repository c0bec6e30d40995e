// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;

/**
 * An exception with a delay before the next attempt, such as the error of an API client for status
 * 429 with {@code Retry-After}. It is found anywhere in the chain of causes of what a reconciler
 * throws.
 *
 * <p>Thread rule: immutable.
 */
public interface RetryAfter {

  /** Returns the least time to wait before the next attempt; zero for none. */
  Duration delay();

  /**
   * Returns whether the delay replaces the backoff of this failure, which is not waited for then even
   * when it is longer. False, the default: the later of the two holds. The wait that an earlier
   * failure has begun is never shortened, if an event has caused an attempt during it.
   */
  default boolean replacesBackoff() {
    return false;
  }
}
