// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;

/**
 * An exception with a minimum delay before the next attempt, such as the error of an API client for
 * status 429 with {@code Retry-After}. It is found anywhere in the chain of causes of what a
 * reconciler throws.
 *
 * <p>Thread rule: immutable.
 */
public interface RetryAfter {

  /** Returns the least time to wait before the next attempt; zero for none. */
  Duration delay();
}
