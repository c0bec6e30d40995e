// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

/**
 * Invalid arguments; the message is for the user.
 *
 * <p>Thread rule: immutable.
 */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates the exception.
   *
   * @param message the fault and the remedy
   */
  public UsageException(String message) {
    super(message);
  }
}
