// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;
import java.util.Optional;

/**
 * Implemented by exceptions that know how long to wait before another attempt makes sense. A
 * reconciler that lets one escape is retried as if it had thrown a {@link RetryAfterException} with
 * that delay; without a delay it is an ordinary failure.
 *
 * <p>Thread rule: immutable.
 */
public interface RetryHint {

  /** Returns the least time to wait, not negative, or empty when there is none. */
  Optional<Duration> retryAfter();
}
