// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

/**
 * A request that was not sent because a {@link WriteGuard} did not let it pass: nothing has been
 * changed. A reconciler lets it escape; somebody else works on the object now.
 *
 * <p>Thread rule: immutable.
 */
public final class WriteRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates a refusal.
   *
   * @param message what was not sent and why
   */
  public WriteRefusedException(String message) {
    super(message);
  }
}
