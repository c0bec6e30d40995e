// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a controller is doing as a whole.
 *
 * <p>Thread rule: immutable.
 *
 * @param state where it is in its life
 * @param concurrency how many requests it may reconcile at once
 * @param activeWorkers how many workers are busy; overdue attempts whose worker was freed not
 *     counted
 * @param sources what it watches
 * @param pause why it is paused, or null when it is not
 * @param startedAt when it was started
 * @param ended how the attempts since then have ended
 * @param conditions its standing problems; empty when it is well
 */
public record ControllerStatus(
    State state,
    int concurrency,
    int activeWorkers,
    List<SourceStatus> sources,
    @Nullable Pause pause,
    Instant startedAt,
    Ended ended,
    List<Condition> conditions) {

  /**
   * How many attempts may be past their time limit with their worker freed, for each worker.
   * Reconcilers that never end must not pile up without a bound.
   */
  public static final int OVERDUE_PER_WORKER = 4;

  public ControllerStatus {
    sources = List.copyOf(sources);
    conditions = List.copyOf(conditions);
  }

  /**
   * Returns from how many attempts past their time limit on no more are started, see {@link
   * ConditionType#WORKERS_EXHAUSTED}.
   */
  public int overdueLimit() {
    return (1 + OVERDUE_PER_WORKER) * concurrency;
  }

  /**
   * How many attempts have ended in which way.
   *
   * @param success done
   * @param requeueAfter done, and to be looked at again after a delay
   * @param requeue to be tried again with backoff
   * @param error failed, panicked or timed out
   */
  public record Ended(long success, long requeueAfter, long requeue, long error) {

    /** No attempt yet. */
    public static final Ended NONE = new Ended(0, 0, 0, 0);
  }

  /** Where a controller is in its life. */
  public enum State {
    /** The sources are delivering what existed at the start; nothing is reconciled yet. */
    SYNCING("syncing"),
    /** Reconciling. */
    RUNNING("running"),
    /** The intake has stopped, running attempts may end. */
    DRAINING("draining"),
    /** Over. */
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
   * @param problem what keeps it from delivering now, or null
   */
  public record SourceStatus(String description, boolean synced, @Nullable String problem) {}

  /**
   * A pause.
   *
   * @param reason why, as given by who paused it
   * @param since from when
   * @param until when it ends by itself, or null for never
   */
  public record Pause(String reason, Instant since, @Nullable Instant until) {}
}
