// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

/** A rule that cannot be understood or evaluated; the message is for the client. */
public final class CelException extends RuntimeException {
  /** The end of the message about a function that other servers may have. */
  public static final String UNSUPPORTED = "is not supported by the embedded API server";

  private static final long serialVersionUID = 1L;

  CelException(String message) {
    super(message, null, false, false);
  }
}
