// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.lifecycle;

/**
 * The host cannot do what it was asked to. The message is one clear line for people: what was
 * asked, what was found, what to do.
 *
 * <p>Thread rule: immutable.
 */
public final class HostException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with a line for people. */
  public HostException(String message) {
    super(message);
  }

  /** Creates the exception with a line for people and its cause. */
  public HostException(String message, Throwable cause) {
    super(message, cause);
  }
}
