// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

/**
 * A write that was not sent because a {@link WriteGuard} refused it: nothing has been changed. A
 * reconciler should not catch it; another replica works on the object now.
 *
 * <p>Thread rule: immutable.
 */
public final class WriteRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates a refusal.
   *
   * @param message the write and the reason
   */
  public WriteRefusedException(String message) {
    super(message);
  }
}
