// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.view.Phase;
import org.jspecify.annotations.Nullable;

/**
 * The ends of attempts of a {@link WorkQueue}: the next phase of the item, its failure count and
 * its backoff.
 *
 * <p>Thread rule: confined to the queue's event loop.
 *
 * @param <K> the type of the requests
 */
public final class AttemptEndings<K> {
  private static final int MAX_ERROR = 1024;

  private final QueueOptions<K> options;
  private final QueueState<K> state;

  AttemptEndings(QueueOptions<K> options, QueueState<K> state) {
    this.options = options;
    this.state = state;
  }

  /**
   * Ends an attempt that was done: the failure count is reset and the item leaves the queue until
   * the next event.
   *
   * @throws IllegalStateException when the item is not in flight, such as when its attempt has been
   *     ended already; nothing is changed then
   */
  public void succeed(Item<K> item) {
    requireInFlight(item);
    if (endsOrphaned(item)) {
      return;
    }
    forgetRow(item);
    end(item, false, 0);
  }

  /**
   * Ends an attempt with a terminal failure. The item leaves the queue until the next event and is
   * kept beside it in {@link Phase#TERMINAL}, unless it was added again meanwhile.
   *
   * @param error the failure, for display
   * @param cause its cause, or null when that is not known
   * @throws IllegalStateException as {@link #succeed}
   */
  public void failTerminally(Item<K> item, String error, @Nullable FailureCause cause) {
    requireInFlight(item);
    if (endsOrphaned(item)) {
      return;
    }
    countTerminal(item, error, cause);
    if (end(item, false, 0)) {
      state.keepTerminal(item);
    } else {
      item.detail().cause(null); // added again meanwhile, and not failing
      item.detail().lastError = null;
    }
  }

  private void forgetRow(Item<K> item) {
    state.clearFailures(item);
    if (item.detail != null) {
      item.detail.failuresBefore = 0;
    }
  }

  /**
   * Ends an attempt that was done and requested a requeue: the failure count is reset, and no token
   * is needed.
   *
   * @param delayNanos how long to wait; zero or negative means behind the ready items
   * @throws IllegalStateException as {@link #succeed}
   */
  public void succeedAfter(Item<K> item, long delayNanos) {
    requireInFlight(item);
    if (endsOrphaned(item)) {
      return;
    }
    forgetRow(item);
    end(item, true, state.clock.nanos() + Math.max(0, Math.min(delayNanos, WorkQueue.MAX_DELAY)));
  }

  /**
   * Ends an attempt that is to be repeated after the item's backoff and with a token. A failure
   * that an event caused inside the backoff window neither counts nor moves the end of the window.
   * When the request was added again meanwhile, the higher of the two priorities holds.
   *
   * @param failedAt when it failed, as a time of the clock; the backoff is counted from there
   * @param atLeastNanos the least delay, 0 for none
   * @param error the failure, for display, or null without one
   * @throws IllegalStateException as {@link #succeed}
   */
  public void retry(Item<K> item, long failedAt, long atLeastNanos, @Nullable String error) {
    retry(item, failedAt, atLeastNanos, false, error, null);
  }

  /**
   * Ends an attempt with a failure that has a cause or a delay of its own, as the method above.
   *
   * @param instead whether the least delay holds instead of the backoff
   * @param cause its cause, or null when that is not known
   */
  public void retry(
      Item<K> item,
      long failedAt,
      long atLeastNanos,
      boolean instead,
      @Nullable String error,
      @Nullable FailureCause cause) {
    requireInFlight(item);
    if (endsOrphaned(item)) {
      return;
    }
    if (item.is(Item.DIRTY) || item.detail().pending) {
      item.detail().raise(item.priority); // a failure must not lower the priority
    }
    Item.Detail detail = count(item, failedAt, atLeastNanos, instead);
    if (error != null) {
      note(detail, error, cause);
    }
    long due = detail.windowEnd;
    if (detail.pending && detail.pendingReplaces && !item.is(Item.DIRTY)) {
      due = detail.pendingDue; // an operator's time holds, and the retry still takes a token
      detail.pending = false;
      item.priority = (byte) Math.max(item.priority, detail.pendingPriority);
    }
    boolean superseded = item.is(Item.DIRTY) || (detail.pending && detail.pendingDue - due < 0);
    if (!superseded) {
      item.set(Item.RETRY, true);
      item.trigger(Trigger.RETRY);
    }
    end(item, true, due);
  }

  /**
   * Ends an attempt that neither failed nor succeeded, because the ownership of the request was
   * lost: failures, priority and cause stay, and a retry needs a token again.
   *
   * @param due when it may start again, as a time of the clock
   * @throws IllegalStateException as {@link #succeed}
   */
  public void putBack(Item<K> item, long due) {
    requireInFlight(item);
    if (endsOrphaned(item)) {
      return;
    }
    if (item.trigger() == Trigger.RETRY && !item.is(Item.DIRTY)) {
      item.set(Item.RETRY, true);
    }
    end(item, true, due);
  }

  /**
   * Gives an item in flight another priority, before its attempt is ended. What was added meanwhile
   * still holds when it is higher.
   *
   * @param priority higher first; cut to what fits
   * @throws IllegalStateException as {@link #succeed}
   */
  public void prioritize(Item<K> item, int priority) {
    requireInFlight(item);
    if (!item.is(Item.ORPHANED)) {
      item.priority = QueueState.level(priority);
    }
  }

  /**
   * Ends an attempt whose slot was dropped while it ran: another replica has had the request since,
   * so neither the result nor the failures of this one count. What was added or handed over later,
   * when the slot had come back, is kept. Returns whether it was one.
   */
  private boolean endsOrphaned(Item<K> item) {
    if (!item.is(Item.ORPHANED)) {
      return false;
    }
    item.set(Item.ORPHANED, false);
    if (end(item, false, 0)) {
      forgetRow(item); // failures that came with its slot meanwhile, when that was dropped again
    }
    return true;
  }

  static void requireInFlight(Item<?> item) {
    if (item.phase() != Phase.IN_FLIGHT || item.is(Item.GONE)) {
      throw new IllegalStateException(
          "the item is not in flight: its attempt has been ended already, or was never begun");
    }
  }

  /**
   * Moves an item that was in flight to its next phase. A request that was added while it ran wins
   * over the result of its attempt, the earlier of two times wins over the later, and the higher
   * priority holds. Returns whether it has left the queue.
   */
  private boolean end(Item<K> item, boolean again, long due) {
    state.inFlight--;
    if (item.is(Item.OVERDUE)) {
      item.set(Item.OVERDUE, false);
      state.overdue--;
    }
    Item.Detail detail = item.detail;
    if (item.is(Item.DIRTY) && detail != null) {
      item.set(Item.DIRTY, false);
      state.dirty--;
      item.priority =
          detail.pending
              ? (byte) Math.max(detail.dirtyPriority, detail.pendingPriority)
              : detail.dirtyPriority;
      detail.pending = false;
      item.trigger(detail.dirtyTrigger());
      state.makeReady(item, state.clock.nanos());
      return false;
    }
    if (detail != null && detail.pending) {
      detail.pending = false;
      if (!again || detail.pendingReplaces || detail.pendingDue - due < 0) {
        item.priority = detail.pendingPriority;
        item.trigger(detail.pendingTrigger());
        item.set(Item.RETRY, item.is(Item.RETRY) || detail.pendingRetry);
        state.delay(item, detail.pendingDue);
        return false;
      }
      item.priority = (byte) Math.max(item.priority, detail.pendingPriority);
    }
    if (!again) {
      state.table.remove(item);
      item.set(Item.GONE, true);
      item.order = state.nextOrder++;
      return true;
    }
    long now = state.clock.nanos();
    if (!item.is(Item.RETRY)) {
      item.trigger(Trigger.REQUEUE_AFTER);
      if (due - now <= 0) {
        state.makeReady(item, now);
        return false;
      }
    }
    // A window that ended while the attempt ran is over now, not long ago.
    state.delay(item, due - now < 0 ? now : due);
    return false;
  }

  // ---- the failure count ----

  /**
   * Counts a failure and sets the end of the item's window. A failure that an event caused inside
   * the window neither counts nor shortens it; otherwise an outage with many events would soon
   * raise every item to the longest backoff.
   */
  private Item.Detail count(Item<K> item, long failedAt, long atLeastNanos, boolean instead) {
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
      long backoff = instead ? 0 : backoff(detail.failures);
      if (options.composition() == Composition.MAX_OF) {
        backoff = Math.max(backoff, state.gate.reserve());
      }
      detail.windowEnd = later(failedAt + Math.min(backoff, WorkQueue.MAX_DELAY), atLeast);
    }
    return detail;
  }

  /**
   * Ends the row of failures with a terminal one. The backoff of the next attempt begins anew; the
   * number of failures since the last success is kept for display.
   */
  private void countTerminal(Item<K> item, String error, @Nullable FailureCause cause) {
    int row = item.failures();
    state.clearFailures(item);
    Item.Detail detail = item.detail();
    long sum = (long) detail.failuresBefore + row + 1;
    detail.failuresBefore = (int) Math.min(sum, Integer.MAX_VALUE);
    note(detail, error, cause);
  }

  private void note(Item.Detail detail, String error, @Nullable FailureCause cause) {
    detail.lastError = error.length() > MAX_ERROR ? error.substring(0, MAX_ERROR) : error;
    detail.cause(cause);
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
