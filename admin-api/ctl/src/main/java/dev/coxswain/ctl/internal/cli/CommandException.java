// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

/** A failed command: a message for the user and an exit code. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CommandException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public CommandException(String message) {
    this(ExitCode.ERROR, message);
  }

  public CommandException(String message, Throwable cause) {
    super(message, cause);
    this.exitCode = ExitCode.ERROR;
  }

  /** Returns the message of a failure, or its type when it has none. */
  public static String reason(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  public int exitCode() {
    return exitCode;
  }
}
