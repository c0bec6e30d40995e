// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

/** A rule that cannot be compiled or evaluated; the message is for the client. */
public final class CelException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CelException(String message) {
    super(message, null, false, false);
  }
}
