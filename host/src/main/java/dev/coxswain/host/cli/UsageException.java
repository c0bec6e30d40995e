// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

/** Somebody called a command in a way that it does not understand. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
