// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The result of an attempt that did not fail.
 *
 * <p>A failure is an exception (or a failed future): it is retried after the item's backoff,
 * through the retry budget. See {@link RetryAfterException} and {@link TerminalException} for the
 * two failures with a rule of their own.
 *
 * <p>Thread rule: immutable.
 */
public sealed interface Result {

  /** The object is as it should be; the failure count is reset. */
  record Done() implements Result {
    private static final Done INSTANCE = new Done();
  }

  /**
   * The object is as it should be and is reconciled again later; the failure count is reset and no
   * token is needed.
   *
   * @param delay how long to wait; zero or negative means {@link Done}, as in controller-runtime:
   *     otherwise a time in the past would make the object be reconciled without a pause. Such
   *     results are counted
   * @param priority the priority of the next attempt; empty to keep the present one
   */
  record RequeueAfter(Duration delay, OptionalInt priority) implements Result {
    public RequeueAfter {
      Objects.requireNonNull(delay, "delay");
      Objects.requireNonNull(priority, "priority");
    }
  }

  /**
   * Try again as if it had failed: after the item's backoff and through the retry budget.
   *
   * @param priority the priority of the next attempt; empty to keep the present one
   */
  record Requeue(OptionalInt priority) implements Result {
    private static final Requeue INSTANCE = new Requeue(OptionalInt.empty());

    public Requeue {
      Objects.requireNonNull(priority, "priority");
    }
  }

  /** Returns the result for "done, nothing more to do". */
  static Result done() {
    return Done.INSTANCE;
  }

  /**
   * Returns the result for "done, look again after {@code delay}". Prefer it over {@link
   * #requeue()} whenever there is a time.
   *
   * @param delay how long to wait; zero or negative means {@link #done()}
   */
  static Result requeueAfter(Duration delay) {
    return new RequeueAfter(delay, OptionalInt.empty());
  }

  /** Returns the result for "not done, try again with backoff", without an error to report. */
  static Result requeue() {
    return Requeue.INSTANCE;
  }

  /**
   * Returns this result with a priority for the next attempt, which otherwise has that of this one.
   * It may be lower; events that come meanwhile raise it again. {@link #done()} has no next attempt
   * and stays as it is.
   *
   * @param priority higher first, from -128 to 127 (values beyond are cut); ordinary events have 0
   */
  default Result withPriority(int priority) {
    return switch (this) {
      case Done done -> done;
      case RequeueAfter later -> new RequeueAfter(later.delay(), OptionalInt.of(priority));
      case Requeue _ -> new Requeue(OptionalInt.of(priority));
    };
  }
}
