// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.cli;

/** What a command tells the program that called it. */
public final class ExitCode {
  /** Everything was done, or shown. */
  public static final int OK = 0;

  /** It was used wrongly, refused, or could not be done. */
  public static final int ERROR = 1;

  /** Something was done, or shown, but not for all items or replicas. */
  public static final int PARTIAL = 2;

  /** Nobody said yes; nothing was changed. */
  public static final int ABORTED = 3;

  /** Whoever read the output has stopped: what shells say of a program that a pipe has ended. */
  public static final int UNREAD = 141;

  private ExitCode() {}

  /** Returns the code of two things together: an error before a part, a part before success. */
  public static int worse(int one, int other) {
    if (one == OK || other == OK) {
      return one == OK ? other : one;
    }
    return Math.min(one, other);
  }
}
