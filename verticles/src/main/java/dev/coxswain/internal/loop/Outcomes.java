// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.controller.Controller;
import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.internal.cause.FailureCauses;
import dev.coxswain.internal.history.AttemptHistory;
import dev.coxswain.internal.history.HistoryEntry;
import dev.coxswain.internal.queue.AttemptEndings;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.ControllerTelemetry.Outcome;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.view.ControllerStatus.Ended;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.PastAttempt;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The effect of an attempt's outcome on its item, row by row in {@code ResultRulesTest}.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class Outcomes<K> {
  /** The delay of a request whose ownership was lost; usually the queue loses it before. */
  private static final long LOST_PAUSE_NANOS = 1_000_000_000;

  /** With more time left no write guard refuses because of the ownership. */
  private static final Duration LEAST_TIME_LEFT = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger("dev.coxswain.reconcile");

  private final Controller<K> controller;
  private final AttemptEndings<K> attempts;
  private final ControllerTelemetry telemetry;
  private final FailureCauses causes;
  private final FailureLog failureLog;
  private final Clock clock;
  private final AttemptHistory<K> history = new AttemptHistory<>();
  private boolean requeueAfterReported;
  private long success;
  private long requeueAfter;
  private long requeue;
  private long error;

  Outcomes(
      Controller<K> controller, WorkQueue<K> queue, ControllerTelemetry telemetry, Clock clock) {
    this.controller = controller;
    this.attempts = queue.endings();
    this.telemetry = telemetry;
    this.clock = clock;
    this.causes = queue.causes();
    this.failureLog = new FailureLog(log, causes, clock.nanos());
  }

  /** Counts an attempt that did not fail, and ends its trace. */
  private void finished(Attempt<K> attempt, Outcome outcome, long took) {
    finished(outcome, took);
    attempt.endTrace(outcome.label(), null);
  }

  private void finished(Outcome outcome, long took) {
    switch (outcome) {
      case SUCCESS -> success++;
      case REQUEUE_AFTER -> requeueAfter++;
      case REQUEUE -> requeue++;
      case ERROR -> error++;
    }
    telemetry.finished(outcome, took);
  }

  /** Returns how many attempts have ended, by outcome. */
  Ended ended() {
    return new Ended(success, requeueAfter, requeue, error);
  }

  /** Returns how the last attempts of requests have ended. */
  AttemptHistory<K> history() {
    return history;
  }

  /** Stores the end of an attempt, of which another replica does not continue. */
  private void store(
      Attempt<K> attempt,
      PastAttempt.Outcome outcome,
      long took,
      @Nullable String error,
      @Nullable FailureCause cause) {
    if (attempt.item.isOrphaned()) {
      return;
    }
    history.add(
        HistoryEntry.attempt(
            attempt.item.key(),
            clock.instant().toEpochMilli(),
            attempt.id,
            attempt.times(took),
            outcome,
            attempt.trigger(),
            attempt.writes(),
            attempt.origin(),
            error,
            cause == null ? null : cause.id(),
            attempt.traceId()));
  }

  /** Ends an attempt within its time limit; returns whether it failed. */
  boolean ended(Attempt<K> attempt, long now) {
    Item<K> item = attempt.item;
    long took = now - attempt.startedAt;
    Failure failure = attempt.failure;
    if (failure == null) {
      switch (attempt.result) {
        case Result.Done done -> {
          recovered(item);
          finished(attempt, Outcome.SUCCESS, took);
          store(attempt, PastAttempt.Outcome.SUCCESS, took, null, null);
          attempts.succeed(item);
          return false;
        }
        case Result.RequeueAfter later when isNow(later) -> {
          requeueAfterIgnored();
          recovered(item);
          finished(attempt, Outcome.SUCCESS, took);
          store(attempt, PastAttempt.Outcome.SUCCESS, took, null, null);
          attempts.succeed(item);
          return false;
        }
        case Result.RequeueAfter later -> {
          recovered(item);
          finished(attempt, Outcome.REQUEUE_AFTER, took);
          store(attempt, PastAttempt.Outcome.REQUEUE_AFTER, took, null, null);
          later.priority().ifPresent(priority -> attempts.prioritize(item, priority));
          attempts.succeedAfter(item, Failure.nanos(later.delay()));
          return false;
        }
        case Result.Requeue again -> {
          finished(attempt, Outcome.REQUEUE, took);
          store(attempt, PastAttempt.Outcome.REQUEUE, took, null, null);
          again.priority().ifPresent(priority -> attempts.prioritize(item, priority));
          attempts.retry(item, now, 0, null);
          return false;
        }
        case null -> failure = Failure.of(new NullPointerException("the reconciler returned null"));
      }
    }
    if (failure.lostOwnership() && isLost(attempt)) {
      lostOwnership(attempt, failure, now);
      return false;
    }
    finished(Outcome.ERROR, took);
    if (failure.panic()) {
      telemetry.panicked();
    }
    if (failure.terminal()) {
      telemetry.terminal();
    }
    String how = failure.terminal() ? "terminal" : "error";
    FailureCause cause = counted(attempt, failure, how, now);
    attempt.endTrace(how, failure.text());
    store(
        attempt,
        failure.terminal() ? PastAttempt.Outcome.TERMINAL : PastAttempt.Outcome.ERROR,
        took,
        failure.text(),
        cause);
    if (failure.terminal()) {
      attempts.failTerminally(item, failure.text(), cause);
    } else {
      Failure.OwnDelay own = failure.ownDelay();
      attempts.retry(item, now, own.nanos(), own.replacesBackoff(), failure.text(), cause);
    }
    return true;
  }

  /** Otherwise the write belonged to no attempt, which no other attempt will mend. */
  private static boolean isLost(Attempt<?> attempt) {
    SlotTerm term = attempt.term;
    return term == null || term.timeLeft().compareTo(LEAST_TIME_LEFT) < 0;
  }

  /** Another replica continues with the request; here it is neither a failure nor a success. */
  private void lostOwnership(Attempt<K> attempt, Failure failure, long now) {
    telemetry.lostOwnership();
    attempt.endTrace("lost_ownership", failure.text());
    long took = now - attempt.startedAt;
    store(attempt, PastAttempt.Outcome.LOST_OWNERSHIP, took, failure.text(), null);
    log.atDebug()
        .addKeyValue("controller", controller.name())
        .addKeyValue("key", UserFailures.text(attempt.item.key()))
        .addKeyValue("attempt", attempt.id)
        .addKeyValue("reason", failure.text())
        .log("ownership lost during the attempt");
    attempts.putBack(attempt.item, now + LOST_PAUSE_NANOS);
  }

  private static boolean isNow(Result.RequeueAfter later) {
    return later.delay().isZero() || later.delay().isNegative();
  }

  /**
   * Counts a requeue delay of zero or less, usually a mistake in its computation, and logs it once.
   */
  private void requeueAfterIgnored() {
    telemetry.requeueAfterIgnored();
    if (!requeueAfterReported) {
      requeueAfterReported = true;
      log.atWarn()
          .addKeyValue("controller", controller.name())
          .log("requeueAfter without a positive delay treated as done, further ones only counted");
    }
  }

  /** Counts an attempt that ran into its time limit; it has not ended. */
  void timedOut(Attempt<K> attempt) {
    finished(Outcome.ERROR, attempt.timedOutAt - attempt.startedAt);
    telemetry.timedOut();
    // Its span ends now, as its worker is freed now: it may never end.
    attempt.endTrace("timeout", timeoutText());
    TimeoutException cause = new TimeoutException(timeoutText());
    cause.setStackTrace(attempt.whereItIs());
    Failure failure = Failure.of(cause, identity(attempt));
    attempt.timeoutPattern = failure.pattern();
    FailureCause counted = counted(attempt, failure, "timeout", attempt.timedOutAt);
    long took = attempt.timedOutAt - attempt.startedAt;
    store(attempt, PastAttempt.Outcome.TIMEOUT, took, failure.text(), counted);
  }

  private ItemId identity(Attempt<K> attempt) {
    return UserFailures.identity(controller.format(), attempt.item.key());
  }

  /** Counts a failure at its cause, and logs it. */
  private FailureCause counted(Attempt<K> attempt, Failure failure, String how, long now) {
    FailureCause cause = causes.of(failure.pattern());
    causes.failed(cause, () -> identity(attempt));
    telemetry.failed(cause.id());
    try {
      failureLog.report(attempt.item, attempt, failure, cause, how, now);
    } catch (Throwable e) { // user code, which must not keep the item from its next phase
      telemetry.userCodeFailed("exception of the reconciler", e);
    }
    return cause;
  }

  /** Ends an attempt that had run into its time limit, whatever its result. */
  void endedLate(Attempt<K> attempt) {
    FailurePattern pattern = attempt.timeoutPattern;
    attempts.retry(
        attempt.item,
        attempt.timedOutAt,
        0,
        false,
        "TimeoutException: " + timeoutText(),
        pattern == null ? null : causes.of(pattern)); // it may have been removed since
  }

  private String timeoutText() {
    return "the attempt took longer than "
        + controller.options().reconcileTimeout().toMillis()
        + " ms";
  }

  private void recovered(Item<K> item) {
    if (item.failures() > 0 && log.isDebugEnabled()) {
      log.atDebug()
          .addKeyValue("controller", controller.name())
          .addKeyValue("key", UserFailures.text(item.key()))
          .addKeyValue("failures", item.failures())
          .log("request recovered");
    }
  }
}
