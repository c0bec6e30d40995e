// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.reconcile.RetryAfter;
import dev.coxswain.reconcile.TerminalException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the engine needs to know of what a reconciler threw. It is found out once, right after the
 * attempt, because the methods of an exception are user code too and may throw themselves.
 *
 * @param cause what was thrown
 * @param text for people, never null
 * @param kind its class and top frame
 * @param terminal whether no retry can cure it
 * @param panic whether it was an {@link Error}
 * @param retryAfterNanos the least time to wait, 0 for none
 */
record Failure(
    Throwable cause,
    String text,
    String kind,
    boolean terminal,
    boolean panic,
    long retryAfterNanos) {

  /** How deep a chain of causes is searched for a failure with a rule of its own. */
  private static final int MAX_CAUSES = 8;

  static Failure of(Throwable thrown) {
    boolean terminal = false;
    long retryAfter = 0;
    try {
      Throwable cause = thrown;
      for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
        terminal |= cause instanceof TerminalException;
        if (retryAfter == 0 && cause instanceof RetryAfter hint) {
          retryAfter = nanos(hint.delay());
        }
        cause = cause.getCause();
      }
    } catch (Throwable e) {
      // The exception cannot tell how long to wait or what caused it: then there is no hint.
      retryAfter = 0;
    }
    return new Failure(
        thrown,
        text(thrown),
        StackText.kind(thrown),
        terminal,
        thrown instanceof Error,
        retryAfter);
  }

  private static String text(Throwable thrown) {
    String type = thrown.getClass().getSimpleName();
    try {
      String message = thrown.getMessage();
      return message == null ? type : type + ": " + message;
    } catch (Throwable e) {
      return type; // the exception cannot tell its own message
    }
  }

  /** Returns the nanoseconds of a delay: none for null or a negative one, cut when too long. */
  static long nanos(@Nullable Duration delay) {
    if (delay == null || delay.isNegative()) {
      return 0;
    }
    try {
      return delay.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
