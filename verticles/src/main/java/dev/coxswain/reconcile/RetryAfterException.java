// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure with a delay of its own before the retry: a minimum, such as that of a status 429 with
 * {@code Retry-After}, or {@link #instead} of the backoff. It counts as a failure, and its retry
 * takes a token.
 *
 * <p>Thread rule: immutable.
 */
public final class RetryAfterException extends Exception implements RetryAfter {
  private static final long serialVersionUID = 1;

  private final Duration delay;
  private final boolean replacesBackoff;

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
    this(delay, false, message, cause);
  }

  private RetryAfterException(
      Duration delay, boolean replacesBackoff, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.delay = Objects.requireNonNull(delay, "delay");
    this.replacesBackoff = replacesBackoff;
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay must not be negative: " + delay);
    }
  }

  /**
   * Returns a failure that is retried after this delay, however often it has failed before.
   *
   * @param delay the time to wait instead of the backoff; longer than zero
   * @param message what went wrong
   * @param cause the cause, or null
   */
  public static RetryAfterException instead(
      Duration delay, String message, @Nullable Throwable cause) {
    if (delay.isZero()) {
      throw new IllegalArgumentException("a delay instead of the backoff must not be zero");
    }
    return new RetryAfterException(delay, true, message, cause);
  }

  /** Returns the time to wait before the next attempt. */
  @Override
  public Duration delay() {
    return delay;
  }

  @Override
  public boolean replacesBackoff() {
    return replacesBackoff;
  }
}
