// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

/**
 * A failure of a command. The message is for the user: state, cause and remedy.
 *
 * <p>Thread rule: immutable.
 */
public final class HostException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with a message for the user. */
  public HostException(String message) {
    super(message);
  }

  /** Creates the exception with a message for the user and its cause. */
  public HostException(String message, Throwable cause) {
    super(message, cause);
  }
}
