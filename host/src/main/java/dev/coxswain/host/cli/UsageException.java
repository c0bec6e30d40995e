// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

/**
 * A mistake on the command line; its message is for people.
 *
 * <p>Thread rule: immutable.
 */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what is wrong, and what would be right. */
  public UsageException(String message) {
    super(message);
  }
}
