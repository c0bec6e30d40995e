// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

/** A data directory cannot be used; the message says in one line which and why. Any thread. */
public final class DataDirectoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DataDirectoryException(String message, Throwable cause) {
    super(message, cause);
  }

  DataDirectoryException(String message) {
    super(message);
  }
}
