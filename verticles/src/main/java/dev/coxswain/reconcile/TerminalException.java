// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import org.jspecify.annotations.Nullable;

/**
 * A failure that no retry can cure: the request is not tried again until the next event, and its
 * failure count is reset.
 *
 * <p>Thread rule: immutable.
 */
public final class TerminalException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * Creates a failure.
   *
   * @param message what went wrong
   */
  public TerminalException(String message) {
    this(message, null);
  }

  /**
   * Creates a failure with a cause.
   *
   * @param message what went wrong
   * @param cause the cause, or null
   */
  public TerminalException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
