// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

/** Exit codes of commands. */
public final class ExitCode {
  /** Success: everything was done or shown. */
  public static final int OK = 0;

  /** Usage error, refusal or failure. */
  public static final int ERROR = 1;

  /** Partial success: some items or replicas are missing. */
  public static final int PARTIAL = 2;

  /** The change was not confirmed; nothing was changed. */
  public static final int ABORTED = 3;

  /** The reader of the output has closed the pipe; as shells report SIGPIPE. */
  public static final int UNREAD = 141;

  private ExitCode() {}

  /** Returns the worse of two codes: error, then partial, then success. */
  public static int worse(int one, int other) {
    if (one == OK || other == OK) {
      return one == OK ? other : one;
    }
    return Math.min(one, other);
  }
}
