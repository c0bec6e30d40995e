// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Objects;

/**
 * The options of a controller.
 *
 * <p>Thread rule: immutable.
 *
 * @param concurrency how many requests are reconciled at the same time, from 1 to {@link
 *     #MAX_CONCURRENCY}; can be changed while running
 * @param reconcileTimeout the longest an attempt may take before its worker is freed and it is
 *     cancelled; zero for no limit
 * @param backoff how long a request waits after a failure
 * @param composition how the backoff and the retry budget are combined
 * @param budget the name of the retry budget; budgets are shared by all controllers that name them
 * @param failureCooldown how long a worker rests after a failed attempt; zero for not at all
 * @param fairFlows whether namespaces take turns inside a priority and in the queue for tokens, so
 *     that no tenant starves another
 * @param agingStep how long an item must wait to overtake one whose priority is higher by one; zero
 *     for strict priorities
 * @param ownership the replicas that run it
 * @param syncTimeout how long its sources may take to deliver what existed at the start before it is
 *     shown as failed; they go on, and it begins when they have synced. Zero for no limit
 * @param threads the threads of a blocking reconciler; an asynchronous one has none
 */
@RecordBuilder
public record ControllerOptions(
    int concurrency,
    Duration reconcileTimeout,
    Backoff backoff,
    Composition composition,
    String budget,
    Duration failureCooldown,
    boolean fairFlows,
    Duration agingStep,
    Ownership ownership,
    Duration syncTimeout,
    Threads threads)
    implements ControllerOptionsBuilder.With {

  /** The name of the default budget. */
  public static final String DEFAULT_BUDGET = "default";

  /** The largest concurrency. */
  public static final int MAX_CONCURRENCY = 10_000;

  /** The longest duration of any option. */
  public static final Duration MAX_DURATION = Duration.ofDays(365);

  /** With this step an item of priority -100 is delayed by items of priority 0 for at most 10 s. */
  public static final Duration DEFAULT_AGING_STEP = Duration.ofMillis(100);

  /** The time limit of controller-runtime for caches to sync. */
  public static final Duration DEFAULT_SYNC_TIMEOUT = Duration.ofMinutes(2);

  /**
   * One request at a time, no time limit of attempts, 5 ms to 1000 s of backoff, the default budget at
   * admission, no cool-down, no fair flows, sharded, two minutes to sync, virtual threads.
   */
  public static final ControllerOptions DEFAULT =
      new ControllerOptions(
          1,
          Duration.ZERO,
          Backoff.standard(),
          Composition.ADMISSION,
          DEFAULT_BUDGET,
          Duration.ZERO,
          false,
          DEFAULT_AGING_STEP,
          Ownership.SHARDED,
          DEFAULT_SYNC_TIMEOUT,
          Threads.VIRTUAL);

  public ControllerOptions {
    if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
      throw new IllegalArgumentException(
          "concurrency must be from 1 to " + MAX_CONCURRENCY + ": " + concurrency);
    }
    requireWithinLimits(reconcileTimeout, "reconcileTimeout");
    requireWithinLimits(failureCooldown, "failureCooldown");
    requireWithinLimits(agingStep, "agingStep");
    requireWithinLimits(syncTimeout, "syncTimeout");
    Objects.requireNonNull(backoff, "backoff");
    Objects.requireNonNull(composition, "composition");
    Objects.requireNonNull(ownership, "ownership");
    Objects.requireNonNull(threads, "threads");
    if (budget.isEmpty()) {
      throw new IllegalArgumentException("the name of the budget must not be empty");
    }
  }

  private static void requireWithinLimits(Duration value, String name) {
    if (value.isNegative() || value.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException(
          name + " must not be negative and not longer than " + MAX_DURATION + ": " + value);
    }
  }

  /** The replicas of a host that run a controller. */
  public enum Ownership {
    /** One replica: the owner of the slot of the name of the controller. */
    LEADER,
    /** Every replica, each for the requests in the slots that it owns. */
    SHARDED,
    /** Every replica. */
    EVERYWHERE
  }

  /** The threads on which a blocking reconciler runs, one for each attempt. */
  public enum Threads {
    /**
     * Virtual threads, which cost next to nothing while they wait. All controllers of a process share
     * its carriers: a reconciler that computes for long, or blocks in native code, holds one of them.
     */
    VIRTUAL,
    /**
     * Platform threads, at most as many as attempts that have not ended: for reconcilers that compute
     * for long or block in native code. They hold up no other controller.
     */
    PLATFORM
  }
}
