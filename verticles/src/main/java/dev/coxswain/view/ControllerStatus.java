// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status of one controller.
 *
 * <p>Thread rule: immutable.
 *
 * @param state the phase of its life
 * @param concurrency how many requests it may reconcile at once
 * @param activeWorkers how many workers are busy, without those of overdue attempts, which were
 *     freed
 * @param sources its sources
 * @param pause its pause, or null when it is not paused
 * @param pausedCauses the causes of failures whose items are not retried, with their pauses; empty
 *     without any
 * @param startedAt when it was started
 * @param ended how many attempts have ended since then, by outcome
 * @param conditions its standing problems; empty without any
 */
public record ControllerStatus(
    State state,
    int concurrency,
    int activeWorkers,
    List<SourceStatus> sources,
    @Nullable Pause pause,
    Map<FailurePattern, Pause> pausedCauses,
    Instant startedAt,
    Ended ended,
    List<Condition> conditions) {

  /**
   * The most attempts per worker that may be past their time limit with their worker freed; bounds the
   * number of reconcilers that never end.
   */
  public static final int OVERDUE_PER_WORKER = 4;

  public ControllerStatus {
    sources = List.copyOf(sources);
    pausedCauses = Map.copyOf(pausedCauses);
    conditions = List.copyOf(conditions);
  }

  /**
   * Returns the number of attempts past their time limit at which no more are started, see {@link
   * ConditionType#WORKERS_EXHAUSTED}.
   */
  public int overdueLimit() {
    return (1 + OVERDUE_PER_WORKER) * concurrency;
  }

  /**
   * The number of ended attempts, by outcome.
   *
   * @param success done
   * @param requeueAfter done, to be reconciled again after a delay
   * @param requeue to be tried again with backoff
   * @param error failed, panicked or timed out
   */
  public record Ended(long success, long requeueAfter, long requeue, long error) {

    /** No attempt has ended. */
    public static final Ended NONE = new Ended(0, 0, 0, 0);
  }

  /** The phases of a controller's life. */
  public enum State {
    /** The sources are delivering what existed at the start; nothing is reconciled yet. */
    SYNCING("syncing"),
    /**
     * The sources have not delivered within the time limit what existed at the start; nothing is
     * reconciled until they have.
     */
    NOT_SYNCED("failed"),
    /** Reconciling. */
    RUNNING("running"),
    /** No requests are accepted; running attempts may end. */
    DRAINING("draining"),
    /** Stopped. */
    STOPPED("stopped");

    private final String label;

    State(String label) {
      this.label = label;
    }

    /** Returns the name of this state in the admin API. */
    public String label() {
      return label;
    }
  }

  /**
   * One source.
   *
   * @param description what it watches
   * @param synced whether it has delivered what existed at the start
   * @param problem its current problem, or null
   * @param addedAs the name under which it was added while the controller ran; null for a source of
   *     its start
   */
  public record SourceStatus(
      String description, boolean synced, @Nullable String problem, @Nullable String addedAs) {

    /** The status of a source of the start. */
    public SourceStatus(String description, boolean synced, @Nullable String problem) {
      this(description, synced, problem, null);
    }
  }

  /**
   * A pause.
   *
   * @param reason the reason that was given
   * @param by the actor; empty when not given
   * @param since when it began
   * @param until when it ends automatically, or null for never
   */
  public record Pause(String reason, String by, Instant since, @Nullable Instant until) {}
}
