// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure with a minimum delay before the retry, such as status 429 with {@code Retry-After}. It
 * counts as a failure, and its retry takes a token.
 *
 * <p>Thread rule: immutable.
 */
public final class RetryAfterException extends Exception implements RetryAfter {
  private static final long serialVersionUID = 1;

  private final Duration delay;

  /**
   * Creates a failure.
   *
   * @param delay the least time to wait; not negative
   * @param message what went wrong
   */
  public RetryAfterException(Duration delay, String message) {
    this(delay, message, null);
  }

  /**
   * Creates a failure with a cause.
   *
   * @param delay the least time to wait; not negative
   * @param message what went wrong
   * @param cause the cause, or null
   */
  public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.delay = Objects.requireNonNull(delay, "delay");
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay must not be negative: " + delay);
    }
  }

  /** Returns the least time to wait before the next attempt. */
  @Override
  public Duration delay() {
    return delay;
  }
}
