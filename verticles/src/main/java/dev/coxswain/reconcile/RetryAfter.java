// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;

/**
 * Implemented by exceptions that know how long to wait before the next attempt makes sense, such as
 * the error of an API client for an answer 429 with {@code Retry-After}. Found anywhere in the
 * chain of causes of what a reconciler throws.
 *
 * <p>Thread rule: immutable.
 */
public interface RetryAfter {

  /** Returns the least time to wait before the next attempt; zero for none. */
  Duration delay();
}
