// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.queue.Item;
import dev.coxswain.queue.WorkQueue;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfter;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.telemetry.ControllerTelemetry;
import dev.coxswain.telemetry.ControllerTelemetry.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what becomes of an item by how its attempt ended: the table "Results" of the design, in
 * one place.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class Outcomes<K> {
  private static final Logger log = LoggerFactory.getLogger("dev.coxswain.reconcile");

  private static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE);

  /** How deep a chain of causes is searched for a failure with a rule of its own. */
  private static final int MAX_CAUSES = 8;

  private final Controller<K> controller;
  private final WorkQueue<K> queue;
  private final ControllerTelemetry telemetry;
  private final FailureLog failureLog = new FailureLog();

  Outcomes(Controller<K> controller, WorkQueue<K> queue, ControllerTelemetry telemetry) {
    this.controller = controller;
    this.queue = queue;
    this.telemetry = telemetry;
  }

  /** Ends an attempt within its time limit; returns whether it failed. */
  boolean ended(Attempt<K> attempt, long now) {
    Item<K> item = attempt.item;
    long took = now - attempt.startedAt;
    Throwable failure = attempt.failure;
    if (failure == null) {
      switch (attempt.result) {
        case Result.Done done -> {
          recovered(attempt);
          telemetry.finished(Outcome.SUCCESS, took);
          queue.succeed(item);
          return false;
        }
        case Result.RequeueAfter later -> {
          recovered(attempt);
          telemetry.finished(Outcome.REQUEUE_AFTER, took);
          queue.succeedAfter(item, nanos(later.delay()));
          return false;
        }
        case Result.Requeue again -> {
          telemetry.finished(Outcome.REQUEUE, took);
          queue.retry(item, now, 0, null);
          return false;
        }
        case null -> failure = new NullPointerException("the reconciler returned null");
      }
    }
    telemetry.finished(Outcome.ERROR, took);
    if (failure instanceof Error) {
      telemetry.panicked();
    }
    if (find(failure, TerminalException.class) != null) {
      telemetry.terminal();
      failureLog.report(log, controller, item, attempt.id, failure, "terminal", now);
      queue.giveUp(item);
      return true;
    }
    RetryAfter hint = find(failure, RetryAfter.class);
    failureLog.report(log, controller, item, attempt.id, failure, "error", now);
    queue.retry(item, now, hint == null ? 0 : Math.max(0, nanos(hint.delay())), text(failure));
    return true;
  }

  /** Counts an attempt that ran into its time limit; it has not ended. */
  void timedOut(Attempt<K> attempt) {
    telemetry.finished(Outcome.ERROR, attempt.timedOutAt - attempt.startedAt);
    telemetry.timedOut();
    failureLog.report(
        log,
        controller,
        attempt.item,
        attempt.id,
        new java.util.concurrent.TimeoutException(timeoutText()),
        "timeout",
        attempt.timedOutAt);
  }

  /** Ends an attempt that had run into its time limit, whatever it returned in the end. */
  void endedLate(Attempt<K> attempt) {
    queue.retry(attempt.item, attempt.timedOutAt, 0, timeoutText());
  }

  private String timeoutText() {
    return "TimeoutException: the attempt took longer than "
        + controller.options().reconcileTimeout().toMillis()
        + " ms";
  }

  private void recovered(Attempt<K> attempt) {
    if (attempt.item.failures() > 0 && log.isDebugEnabled()) {
      log.atDebug()
          .addKeyValue("controller", controller.name())
          .addKeyValue("key", attempt.item.key())
          .addKeyValue("failures", attempt.item.failures())
          .log("request recovered");
    }
  }

  private static <T> @Nullable T find(Throwable failure, Class<T> type) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    String type = failure.getClass().getSimpleName();
    return message == null ? type : type + ": " + message;
  }

  private static long nanos(Duration delay) {
    return delay.compareTo(MAX_DURATION) >= 0
        ? Long.MAX_VALUE
        : delay.isNegative() ? 0 : delay.toNanos();
  }
}
