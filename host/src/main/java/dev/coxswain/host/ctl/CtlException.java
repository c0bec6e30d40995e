// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.ctl;

/** Ends a command with a message for people and an exit code. */
final class CtlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CtlException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  CtlException(String message) {
    this(ExitCode.ERROR, message);
  }

  CtlException(String message, Throwable cause) {
    super(message, cause);
    this.exitCode = ExitCode.ERROR;
  }

  int exitCode() {
    return exitCode;
  }
}
