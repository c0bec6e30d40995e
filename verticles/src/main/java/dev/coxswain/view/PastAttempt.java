// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt of a request ended, or how an operator took the request out of the queue.
 *
 * <p>Thread rule: immutable.
 *
 * @param attempt its number in the process that ran it; 0 for an action of an operator
 * @param endedAt when it ended, or ran into its time limit
 * @param took how long it took, to about a millionth
 * @param ready how long the request was ready before it was started
 * @param token how long it waited for a token of the retry budget; zero when it took none
 * @param outcome how it ended
 * @param trigger what caused it
 * @param origin the change that caused it; null when there was none, or it is not known
 * @param writes how many writes it made through the host, at most 255; those to other systems when
 *     the reconciler counts them
 * @param error the failure, shortened; null when it did not fail
 * @param cause the name of the cause of the failure, see {@link FailurePattern#id}; null when it
 *     did not fail or the cause is not known
 * @param traceId the id of its trace; empty when it was not traced
 * @param by the operator that took the request out of the queue, empty when not given; null for an
 *     attempt
 * @param reason the reason that the operator gave, empty without one; null for an attempt
 * @param replica the replica that ran it before the request moved here; null for this one
 */
public record PastAttempt(
    long attempt,
    Instant endedAt,
    Duration took,
    Duration ready,
    Duration token,
    Outcome outcome,
    Trigger trigger,
    @Nullable Origin origin,
    int writes,
    @Nullable String error,
    @Nullable String cause,
    String traceId,
    @Nullable String by,
    @Nullable String reason,
    @Nullable String replica) {

  /** The most that are kept of one request. */
  public static final int MAX = 20;

  /** How an attempt ended; the names of attempts are those in traces. */
  public enum Outcome {
    /** Done. */
    SUCCESS,
    /** Done; to be reconciled again after a delay. */
    REQUEUE_AFTER,
    /** To be tried again with backoff. */
    REQUEUE,
    /** Failed. */
    ERROR,
    /** Failed with an error that no retry can cure. */
    TERMINAL,
    /** Ran into its time limit. */
    TIMEOUT,
    /** This replica no longer owned the request. */
    LOST_OWNERSHIP,
    /** Taken out of the queue by an operator. */
    DROPPED,
    /** Taken out of the queue with others by an operator. */
    FLUSHED;

    /** Returns the name in the admin API and in traces, such as {@code requeue_after}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the attempt was done. */
    public boolean succeeded() {
      return this == SUCCESS || this == REQUEUE_AFTER;
    }

    /** Returns whether it is a failure of the attempt. */
    public boolean failed() {
      return this == ERROR || this == TERMINAL || this == TIMEOUT;
    }

    /** Returns whether it is the action of an operator, and no attempt. */
    public boolean removed() {
      return this == DROPPED || this == FLUSHED;
    }
  }
}
