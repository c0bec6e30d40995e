// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

/**
 * This replica no longer owns the request: a write was refused and nothing has been changed. A
 * reconciler should not catch it. The attempt ends without a failure being counted, and the request
 * stays in the queue for as long as the queue of this replica has it.
 *
 * <p>Thread rule: immutable.
 */
public final class LostOwnershipException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates the exception.
   *
   * @param message what was refused, and why
   */
  public LostOwnershipException(String message) {
    super(message);
  }
}
