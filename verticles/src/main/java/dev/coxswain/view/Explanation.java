// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a request is, or is not, being reconciled.
 *
 * <p>Thread rule: immutable.
 *
 * @param reason the main cause
 * @param message the cause in one sentence, for display
 * @param item the item, or null when the request is not tracked
 * @param position its position among the items that wait for the same resource, from 1; 0 when it
 *     is in no queue
 * @param of the length of that queue
 * @param expectedStart the estimated start, or null when there is no estimate
 * @param endedAt when it left the queue: failed terminally, was dropped, flushed or reconciled;
 *     null when it is in the queue or the time is not recorded
 * @param endedBy the actor that dropped or flushed it, or null
 * @param conditions other reasons why it does not run, each a sentence; empty without any
 * @param attempts how its last attempts ended, the newest first, at most {@link PastAttempt#MAX};
 *     empty when none is kept
 */
public record Explanation(
    Reason reason,
    String message,
    @Nullable QueuedItem item,
    int position,
    int of,
    @Nullable Instant expectedStart,
    @Nullable Instant endedAt,
    @Nullable String endedBy,
    List<String> conditions,
    List<PastAttempt> attempts) {

  public Explanation {
    conditions = List.copyOf(conditions);
    attempts = List.copyOf(attempts);
  }

  /** An explanation of an item in the queue. */
  public Explanation(
      Reason reason,
      String message,
      @Nullable QueuedItem item,
      int position,
      int of,
      @Nullable Instant expectedStart,
      List<String> conditions) {
    this(reason, message, item, position, of, expectedStart, null, null, conditions, List.of());
  }

  /** Returns this explanation with the last attempts. */
  public Explanation withAttempts(List<PastAttempt> past) {
    return new Explanation(
        reason, message, item, position, of, expectedStart, endedAt, endedBy, conditions, past);
  }

  /** The main cause. */
  public enum Reason {
    /** Failed of a cause that is paused: it is not retried. */
    CAUSE_PAUSED("causePaused"),
    /** The API server answers nothing, so changes do not arrive and attempts fail. */
    API_SERVER_UNREACHABLE("apiServerUnreachable"),
    /** The replica has not renewed its Lease in time, and starts nothing. */
    REPLICA_SUSPENDED("replicaSuspended"),
    /** Ready, and a worker will take it in turn. */
    READY("ready"),
    /** Ready, but all workers are busy. */
    WORKERS_BUSY("workersBusy"),
    /** No attempt is started: too many are past their time limit and have not ended. */
    WORKERS_EXHAUSTED("workersExhausted"),
    /** Failed, and waits out its backoff. */
    BACKOFF("backoff"),
    /** An admission webhook refused a write of the last attempt; waits for the next one. */
    WRITE_DENIED("writeDenied"),
    /** Delayed by a result or by the caller that added it. */
    SCHEDULED("scheduled"),
    /** Failed, has waited out its backoff, and waits for a token of the retry budget. */
    WAITING_TOKEN("waitingToken"),
    /** Being reconciled. */
    IN_FLIGHT("inFlight"),
    /** Past its time limit; not started again before the old attempt has ended. */
    OVERDUE("overdue"),
    /** The controller is paused. */
    PAUSED("paused"),
    /** The sources have not delivered what existed at the start. */
    NOT_SYNCED("notSynced"),
    /** The controller is stopping. */
    STOPPING("stopping"),
    /** Failed with an error that no retry can cure; waits for the next event. */
    TERMINAL("terminal"),
    /** Not queued: dropped by an actor. */
    DROPPED("dropped"),
    /** Not queued: flushed by an actor. */
    FLUSHED("flushed"),
    /** Not queued: reconciled successfully. */
    SUCCEEDED("succeeded"),
    /** Not queued: the object was deleted. */
    DELETED("deleted"),
    /** Not queued yet: its slot is new to this replica, and a source still loads its objects. */
    LOADING("loading"),
    /** Not queued: a source watches its kind but excludes it. */
    LEFT_OUT("leftOut"),
    /** Not queued: no cache of the controller holds the object; it does not exist, most likely. */
    NOT_IN_CACHE("notInCache"),
    /** The controller has no request of this namespace and name. */
    UNKNOWN_NAME("unknownName"),
    /** Not queued, and no record of it is kept. */
    NOT_TRACKED("notTracked");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** Returns the name of this reason in the admin API. */
    public String label() {
      return label;
    }
  }
}
