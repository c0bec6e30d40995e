// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.queue;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a request is, or is not, being reconciled.
 *
 * <p>Thread rule: immutable.
 *
 * @param reason the main cause
 * @param message the same for people, one sentence
 * @param item the item, or null when the request is not tracked
 * @param position its place among those that wait for the same thing, from 1; 0 when it does not
 *     wait in a line
 * @param of how many wait in that line
 * @param expectedStart when it is likely to start, or null when nobody can tell
 * @param conditions what else keeps it from running, each a sentence; empty for nothing
 */
public record Explanation(
    Reason reason,
    String message,
    @Nullable QueuedItem item,
    int position,
    int of,
    @Nullable Instant expectedStart,
    List<String> conditions) {

  public Explanation {
    conditions = List.copyOf(conditions);
  }

  /** The main cause. */
  public enum Reason {
    /** Ready, and a worker will take it in turn. */
    READY("ready"),
    /** Ready, but all workers are busy. */
    WORKERS_BUSY("workersBusy"),
    /** Failed, and waits out its backoff. */
    BACKOFF("backoff"),
    /** Delayed on purpose: by a result or by whoever added it. */
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
    /** Nothing is to be done for this request. */
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
