// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.view.ItemFilter;
import java.time.Duration;
import java.util.Objects;

/**
 * One action on many items.
 *
 * <p>Thread rule: immutable.
 *
 * @param action the action
 * @param filter the items
 * @param dryRun whether to count only
 * @param maxAffected nothing is changed when more items than this match
 * @param keepFailures for {@link Action#FLUSH}: whether failure counts are remembered for requests
 *     that are added again by {@code then}
 * @param dropDirty for {@link Action#FLUSH}: whether in-flight items lose the request that was
 *     added meanwhile
 * @param then for {@link Action#FLUSH}: what happens to flushed requests
 * @param delay for {@link Action#REQUEUE} and {@link Then#REQUEUE_AFTER}: the delay
 * @param spreadOver the time over which due items are spread; zero for none. No item becomes due
 *     later than before
 * @param itemsPerSecond how many items are changed in a second at most, from 1 to {@link
 *     #MAX_AFFECTED}; 0 for no limit
 */
public record BulkRequest(
    Action action,
    ItemFilter filter,
    boolean dryRun,
    int maxAffected,
    boolean keepFailures,
    boolean dropDirty,
    Then then,
    Duration delay,
    Duration spreadOver,
    int itemsPerSecond) {

  /** The largest number of items one request may affect. */
  public static final int MAX_AFFECTED = 100_000;

  public BulkRequest {
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(filter, "filter");
    Objects.requireNonNull(then, "then");
    if (maxAffected < 0 || maxAffected > MAX_AFFECTED) {
      throw new IllegalArgumentException(
          "maxAffected must be from 0 to " + MAX_AFFECTED + ": " + maxAffected);
    }
    if (delay.isNegative() || spreadOver.isNegative()) {
      throw new IllegalArgumentException("delays must not be negative");
    }
    if (itemsPerSecond < 0 || itemsPerSecond > MAX_AFFECTED) {
      throw new IllegalArgumentException(
          "itemsPerSecond must be from 0 to " + MAX_AFFECTED + ": " + itemsPerSecond);
    }
  }

  /** A request without a limit on its speed. */
  public BulkRequest(
      Action action,
      ItemFilter filter,
      boolean dryRun,
      int maxAffected,
      boolean keepFailures,
      boolean dropDirty,
      Then then,
      Duration delay,
      Duration spreadOver) {
    this(action, filter, dryRun, maxAffected, keepFailures, dropDirty, then, delay, spreadOver, 0);
  }

  /** The action on each item. */
  public enum Action {
    /** Make it due now, keeping its failures. */
    RETRY,
    /** Reset its failures. */
    FORGET,
    /** Give it a new time. */
    REQUEUE,
    /** Take it out of the queue, unless it is in flight. */
    FLUSH
  }

  /** The treatment of flushed requests. */
  public enum Then {
    /** Nothing until the next event. */
    NONE,
    /** Requests whose object still exists are added again, with low priority. */
    RELIST,
    /** All are added again after a delay. */
    REQUEUE_AFTER
  }
}
