// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

/**
 * The pool did not say that it has stored an override.
 *
 * <p>Thread rule: immutable.
 */
public final class OverrideFailedException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  private final boolean certain;

  public OverrideFailedException(String message, boolean certain) {
    super(message);
    this.certain = certain;
  }

  /**
   * Returns whether it is certain that nothing was changed, because the pool cannot be used from
   * here: this replica or the pool's owner is without a majority, or without the pool. Otherwise
   * the change may have been made, or may still be.
   */
  public boolean nothingChanged() {
    return certain;
  }
}
