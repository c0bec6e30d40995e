// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.view.FailureKind;
import org.jspecify.annotations.Nullable;

/**
 * The failure count of an item and the length of its backoff window.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class FailureCount<K> {
  private static final int MAX_ERROR = 1024;

  private final QueueOptions<K> options;
  private final QueueState<K> state;

  FailureCount(QueueOptions<K> options, QueueState<K> state) {
    this.options = options;
    this.state = state;
  }

  /**
   * Counts a failure and sets the end of the item's window. A failure that an event caused inside
   * the window neither counts nor shortens it; otherwise an outage with many events would soon
   * raise every item to the longest backoff.
   */
  Item.Detail count(
      Item<K> item,
      long failedAt,
      long atLeastNanos,
      @Nullable String error,
      @Nullable FailureKind kind) {
    Item.Detail detail = item.detail();
    long atLeast = failedAt + Math.min(atLeastNanos, WorkQueue.MAX_DELAY);
    if (item.is(Item.IN_WINDOW) && detail.failures > 0) {
      detail.windowEnd = later(detail.windowEnd, atLeast);
    } else {
      if (detail.failures == 0) {
        state.failing++;
      }
      if (detail.failures < Integer.MAX_VALUE) {
        detail.failures++;
      }
      long backoff = backoff(detail.failures);
      if (options.composition() == Composition.MAX_OF) {
        backoff = Math.max(backoff, state.gate.reserve());
      }
      detail.windowEnd = later(failedAt + Math.min(backoff, WorkQueue.MAX_DELAY), atLeast);
    }
    if (error != null) {
      note(detail, error, kind);
    }
    return detail;
  }

  /**
   * Ends the row of failures with a terminal one. The backoff of the next attempt begins anew; the
   * number of failures since the last success is kept for display.
   */
  void terminal(Item<K> item, String error, @Nullable FailureKind kind) {
    int row = item.failures();
    state.clearFailures(item);
    Item.Detail detail = item.detail();
    long sum = (long) detail.failuresBefore + row + 1;
    detail.failuresBefore = (int) Math.min(sum, Integer.MAX_VALUE);
    note(detail, error, kind);
  }

  private void note(Item.Detail detail, String error, @Nullable FailureKind kind) {
    detail.lastError = error.length() > MAX_ERROR ? error.substring(0, MAX_ERROR) : error;
    detail.lastKind = kind;
    detail.lastErrorMillis = state.clock.instant().toEpochMilli();
  }

  private long backoff(int failures) {
    try {
      return Math.max(0, options.backoff().delayNanos(failures));
    } catch (Throwable e) {
      // A failure of the user's backoff: the longest standard delay is the safe value.
      state.telemetry.userCodeFailed("backoff", e);
      return Backoff.DEFAULT_MAX.toNanos();
    }
  }

  private static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
