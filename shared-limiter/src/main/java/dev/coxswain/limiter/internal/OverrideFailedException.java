// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

/**
 * Thrown when the pool has not confirmed that it stored an override.
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
   * Returns whether it is certain that nothing was changed: this replica or the pool's owner has no
   * majority, or the member does not run. Otherwise the change may have been applied, or may be
   * applied later.
   */
  public boolean nothingChanged() {
    return certain;
  }
}
