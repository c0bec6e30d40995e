// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.view.Phase;
import org.jspecify.annotations.Nullable;

/**
 * Receiver of the metrics and traces of one controller. Every method has an empty default.
 *
 * <p>Thread rule: called on the controller's event loop, often; must return quickly and not throw.
 */
public interface ControllerTelemetry {

  /** A receiver that does nothing. */
  ControllerTelemetry NONE = new ControllerTelemetry() {};

  /** The end of an attempt, named as the {@code result} label of controller-runtime. */
  enum Outcome {
    /** Done. */
    SUCCESS,
    /** Done; to be reconciled again after a delay. */
    REQUEUE_AFTER,
    /** To be tried again with backoff. */
    REQUEUE,
    /** Failed. */
    ERROR;

    /** Returns the value of the label, such as {@code requeue_after}. */
    public String label() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** An item became ready, or a retry got its token. */
  default void added(int priority) {}

  /** A request was merged into an item that was in {@code phase}. */
  default void merged(Phase phase) {}

  /** A request was scheduled for later: by a delay or by a failure. */
  default void delayed() {}

  /**
   * An item left the queue to be reconciled.
   *
   * @param readyNanos how long it was ready; 0 for a retry, which starts the moment it gets its
   *     token
   */
  default void started(long readyNanos) {}

  /**
   * An item that waited for a token got it.
   *
   * @param waitedNanos how long it waited
   */
  default void tokenGranted(long waitedNanos) {}

  /**
   * An attempt ended.
   *
   * @param outcome how
   * @param nanos how long it took
   */
  default void finished(Outcome outcome, long nanos) {}

  /**
   * An attempt failed or ran into its time limit; also an error.
   *
   * @param cause the name of its cause, see {@link dev.coxswain.view.FailurePattern#id}
   */
  default void failed(String cause) {}

  /** An attempt ended in a {@link dev.coxswain.reconcile.TerminalException}; also an error. */
  default void terminal() {}

  /** An attempt threw an {@link Error}; also an error. */
  default void panicked() {}

  /** An attempt ran into its time limit; also an error. */
  default void timedOut() {}

  /** An attempt ended because this replica no longer owned its request; no outcome is counted. */
  default void lostOwnership() {}

  /** User code other than a reconciler (a source, a flow function, a cancel action) threw. */
  default void userCodeFailed() {}

  /** A result had a requeue delay of zero or less and was treated as done. */
  default void requeueAfterIgnored() {}

  /**
   * User code other than the reconciler threw. The default counts it with {@link
   * #userCodeFailed()}.
   *
   * @param place which code, such as {@code backoff}
   * @param cause what it threw
   */
  default void userCodeFailed(String place, Throwable cause) {
    userCodeFailed();
  }

  /**
   * A delayed item became due.
   *
   * @param lateNanos how much later than its due time
   */
  default void wokeUp(long lateNanos) {}

  /** A request arrived after the controller stopped accepting requests. */
  default void rejected() {}

  /**
   * Returns whether it records traces; constant, read once, on any thread. Otherwise neither {@link
   * #caused} nor {@link #begin} is called.
   */
  default boolean traces() {
    return false;
  }

  /**
   * A request is being added by something that has a trace of its own.
   *
   * @param request the request
   * @param traceParent the cause as the value of the header of W3C Trace Context, well-formed
   */
  default void caused(Object request, String traceParent) {}

  /**
   * Begins the trace of an attempt, right after {@link #started} and, for a retry, {@link
   * #tokenGranted}.
   *
   * @param request the request
   * @param attempt the attempt, which has not begun
   * @return its span, or null when it is not traced
   */
  default @Nullable AttemptSpan begin(Object request, ReconcileContext attempt) {
    return null;
  }
}
