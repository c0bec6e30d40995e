// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The actions of operators on single items of a {@link WorkQueue}. Each action returns whether it
 * changed anything.
 *
 * <p>Thread rule: confined to the queue's event loop.
 *
 * @param <K> the type of the requests
 */
public final class QueueActions<K> {
  /** The end of a walk of {@link #dropSome}. */
  public static final long END = -1;

  private final QueueState<K> state;

  QueueActions(QueueState<K> state) {
    this.state = state;
  }

  /**
   * Makes an item due now, as an event would, keeping its failures: a delayed one and one that
   * waits for its token become ready and take no token, one in flight runs once more, one that
   * failed terminally is tracked anew. One that is ready stays where it is.
   */
  public boolean promote(Item<K> item) {
    switch (item.phase()) {
      case READY -> {
        if (state.pausedCauses.of(item) == null) {
          return false;
        }
        QueueState.becomeFresh(item, item.priority, Trigger.OPERATOR); // no retry, so not held
      }
      case IN_FLIGHT -> state.markDirty(item, item.priority, Trigger.OPERATOR);
      case WAITING_TOKEN -> {
        state.removeWaiting(item);
        QueueState.becomeFresh(item, item.priority, Trigger.OPERATOR);
        state.makeReady(item, state.clock.nanos());
      }
      case TERMINAL ->
          state.makeReady(state.revive(item, item.priority, Trigger.OPERATOR), state.clock.nanos());
      case DELAYED -> {
        state.delayed.remove(item);
        QueueState.becomeFresh(item, item.priority, Trigger.OPERATOR);
        state.makeReady(item, state.clock.nanos());
      }
    }
    return true;
  }

  /**
   * Makes an item due after a delay at the latest, as {@link #promote} does at once; one that is
   * due earlier keeps its time. One that waits for its token gets exactly that time, without one.
   *
   * @param delayNanos from now; zero or negative means now
   */
  public boolean promoteWithin(Item<K> item, long delayNanos) {
    Phase phase = item.phase();
    if (delayNanos <= 0 || phase == Phase.READY || phase == Phase.IN_FLIGHT) {
      return promote(item);
    }
    long latest = state.clock.nanos() + Math.min(delayNanos, WorkQueue.MAX_DELAY);
    if (phase == Phase.WAITING_TOKEN) {
      state.removeWaiting(item);
      QueueState.becomeFresh(item, item.priority, Trigger.OPERATOR);
      state.delay(item, latest); // not at once: thousands may wait, and no token paces them now
      return true;
    }
    if (item.phase() == Phase.TERMINAL) {
      state.delay(state.revive(item, item.priority, Trigger.OPERATOR), latest);
      return true;
    }
    long due = item.time - latest < 0 ? item.time : latest;
    state.delayed.remove(item);
    QueueState.becomeFresh(item, item.priority, Trigger.OPERATOR);
    state.delay(item, due);
    return true;
  }

  /**
   * Resets the failures of an item; one that failed terminally is forgotten with them.
   *
   * @param reschedule whether a retry that is not due yet, or one that failed terminally, becomes
   *     due now
   */
  public boolean forget(Item<K> item, boolean reschedule) {
    if (item.phase() == Phase.TERMINAL) {
      return reschedule ? promote(item) : drop(item);
    }
    boolean failed = item.failures() > 0;
    boolean isDelayed = item.phase == Phase.DELAYED.ordinal();
    // Without its cause nothing would end its pause.
    long due = isDelayed ? state.pausedCauses.dueOf(item) : item.time;
    state.clearFailures(item);
    boolean move = reschedule && item.phase == Phase.DELAYED.ordinal() && item.is(Item.RETRY);
    if (move) {
      promote(item);
    } else if (failed) {
      item.order = state.nextOrder++;
      if (isDelayed) {
        state.delayed.remove(item); // the stamp is part of its place
        item.time = due;
        state.delayed.add(item);
      }
    }
    return failed || move;
  }

  /**
   * Gives an item a new time, earlier or later, keeping its failures and whether its next start
   * takes a token. An item in flight runs once more at that time.
   *
   * @param delayNanos from now; zero or negative means now
   */
  public boolean reschedule(Item<K> item, long delayNanos) {
    long now = state.clock.nanos();
    long due = now + Math.max(0, Math.min(delayNanos, WorkQueue.MAX_DELAY));
    switch (item.phase()) {
      case IN_FLIGHT -> {
        if (delayNanos <= 0) {
          state.markDirty(item, item.priority, Trigger.OPERATOR);
        } else {
          Item.Detail detail = item.detail();
          boolean retry = detail.pending && detail.pendingRetry;
          detail.pending = false; // replaces, also by a later time
          state.keepPending(item, due, item.priority, Trigger.OPERATOR);
          detail.pendingReplaces = true;
          detail.pendingRetry = retry;
        }
        return true;
      }
      case READY -> state.ready.remove(item);
      case DELAYED -> state.delayed.remove(item);
      case WAITING_TOKEN -> state.removeWaiting(item);
      case TERMINAL -> {
        Item<K> fresh = state.revive(item, item.priority, Trigger.OPERATOR);
        if (delayNanos <= 0) {
          state.makeReady(fresh, now);
        } else {
          state.delay(fresh, due);
        }
        return true;
      }
    }
    if (!item.is(Item.RETRY)) {
      item.trigger(Trigger.OPERATOR);
      if (delayNanos <= 0) {
        state.makeReady(item, now);
        return true;
      }
    }
    state.delay(item, due);
    return true;
  }

  /** Takes an item out of the queue, with its failures, unless it is in flight. */
  public boolean drop(Item<K> item) {
    switch (item.phase()) {
      case IN_FLIGHT -> {
        return false;
      }
      case TERMINAL -> state.terminal.remove(item);
      case READY, DELAYED, WAITING_TOKEN -> {
        state.clearFailures(item);
        remove(item);
      }
    }
    return true;
  }

  /** Takes an item out of the queue to be put back as it is; ready or waiting for a token. */
  void takeOut(Item<K> item) {
    item.set(Item.RETRY, item.is(Item.RETRY) || item.phase() == Phase.WAITING_TOKEN);
    state.failing -= item.failures() > 0 ? 1 : 0;
    if (item.detail != null) {
      item.detail.takeOut();
    }
    remove(item);
  }

  /** Delays a retry in a line whose cause is paused; returns whether it is. */
  boolean hold(Item<K> item) {
    if (state.pausedCauses.of(item) == null) {
      return false;
    }
    leaveLine(item);
    return state.pausedCauses.hold(item);
  }

  private void remove(Item<K> item) {
    leaveLine(item);
    state.table.remove(item);
  }

  private void leaveLine(Item<K> item) {
    switch (item.phase()) {
      case READY -> state.ready.remove(item);
      case DELAYED -> state.delayed.remove(item);
      case WAITING_TOKEN -> state.removeWaiting(item);
      case IN_FLIGHT, TERMINAL ->
          throw new IllegalStateException("an item is not in a line of the queue");
    }
  }

  /** Returns one item for two of the same request that were taken out, as adding merges them. */
  public static <K> Item<K> mergeApart(Item<K> older, Item<K> newer) {
    if (older.failures() == 0 && newer.failures() > 0) {
      older.detail = newer.detail;
    }
    boolean retry =
        (newer.is(Item.RETRY) || !QueueState.isChange(newer.trigger()))
            && (older.is(Item.RETRY) || !QueueState.isChange(older.trigger()))
            && (older.is(Item.RETRY) || newer.is(Item.RETRY));
    if (retry) {
      older.set(Item.RETRY, true);
      older.trigger(Trigger.RETRY);
      older.priority = (byte) Math.max(older.priority, newer.priority);
    } else if (!newer.is(Item.RETRY)) {
      QueueState.becomeFresh(older, newer.priority, newer.trigger());
    }
    return older;
  }

  /**
   * Returns an item to the queue: a retry takes its token again, another is ready. When its request
   * was added meanwhile, the failures are restored, and a later time gives way.
   */
  public void putIn(Item<K> item) {
    Item<K> present = state.table.find(item.key, item.hash);
    long now = state.clock.nanos();
    if (present != null) {
      merge(
          present, FailureMemory.of(item), now, item.is(Item.RETRY), item.priority, item.trigger());
      return;
    }
    state.table.insert(item);
    state.failing += item.failures() > 0 ? 1 : 0;
    if (item.detail != null) {
      item.detail.putIn(state.causes);
    }
    if (item.is(Item.RETRY)) {
      state.delay(item, now);
    } else {
      state.makeReady(item, now);
    }
  }

  /**
   * Merges an item with the state of the same request from elsewhere, as an addition is merged: the
   * earlier time wins, with whether it takes a token. One whose attempt still runs gets the state
   * when that ends.
   *
   * @param failures those of the other state
   * @param due when it is due, as a time of the clock
   * @param retry whether its next start takes a token
   */
  void merge(
      Item<K> present,
      FailureMemory failures,
      long due,
      boolean retry,
      byte priority,
      Trigger trigger) {
    restoreFailures(present, failures, due);
    switch (present.phase()) {
      case READY -> {
        if (retry && !QueueState.isChange(present.trigger())) {
          state.ready.remove(present);
          state.retryNow(present, priority, state.clock.nanos());
        } else {
          state.raise(present, priority); // due already, which is earlier
        }
      }
      case WAITING_TOKEN -> state.raise(present, priority); // due already, which is earlier
      case DELAYED -> {
        if (due - present.time < 0) {
          state.delayed.remove(present);
          QueueState.becomeFresh(present, priority, trigger);
          delayOrMakeReady(present, due, retry);
        } else {
          state.raise(present, priority);
        }
      }
      case IN_FLIGHT -> {
        if (!retry && due - state.clock.nanos() <= 0) {
          state.markDirty(present, priority, trigger);
        } else {
          Item.Detail detail = present.detail();
          boolean earlier = !detail.pending || due - detail.pendingDue < 0;
          state.keepPending(present, due, priority, trigger);
          detail.pendingRetry = earlier ? retry : detail.pendingRetry;
        }
      }
      case TERMINAL -> {
        Item<K> item = state.revive(present, priority, trigger);
        restoreFailures(item, failures, due);
        delayOrMakeReady(item, due, retry);
      }
    }
  }

  /** Makes an item in no line due at a time, a retry with a token. */
  void delayOrMakeReady(Item<K> item, long due, boolean retry) {
    long now = state.clock.nanos();
    item.set(Item.RETRY, retry);
    if (retry || due - now > 0) {
      state.delay(item, due);
    } else {
      state.makeReady(item, now);
    }
  }

  /**
   * Drops the items of some requests. The end of an attempt that runs leaves nothing: neither a
   * retry, nor failures, nor a later request.
   *
   * @param from where to go on, 0 at first
   * @return where to go on, or {@link #END} when all items have been visited
   */
  public long dropSome(long from, Predicate<K> requests) {
    List<Item<K>> found = new ArrayList<>();
    long next =
        state.table.forEachFrom(
            from,
            item -> {
              if (requests.test(item.key)) {
                found.add(item);
              }
            });
    for (Item<K> item : found) {
      if (!drop(item)) {
        orphan(item);
      }
    }
    return next == ItemTable.END ? END : next;
  }

  /**
   * Registers a listener for every item to which a request is added while it is in the queue.
   *
   * @return removes the listener
   */
  public Runnable onMerge(Consumer<Item<K>> listener) {
    state.onMerge.add(listener);
    return () -> state.onMerge.remove(listener);
  }

  /** Removes the request that was added to an item while it was in flight. */
  public boolean dropDirty(Item<K> item) {
    if (item.phase != Phase.IN_FLIGHT.ordinal()) {
      return false;
    }
    Item.Detail detail = item.detail;
    boolean pending = detail != null && detail.pending;
    Origin _ = item.takeOrigin(); // of what is dropped
    if (detail != null) {
      detail.pending = false;
    }
    if (item.is(Item.DIRTY)) {
      item.set(Item.DIRTY, false);
      state.dirty--;
      return true;
    }
    return pending;
  }

  private void orphan(Item<K> item) {
    dropDirty(item);
    state.clearFailures(item);
    if (item.detail != null) {
      item.detail.failuresBefore = 0;
    }
    item.set(Item.ORPHANED, true);
  }

  /** Restores the failures of an item that was dropped and added again, with their last error. */
  public void restoreFailures(Item<K> item, FailureMemory failures) {
    restoreFailures(item, failures, state.clock.nanos());
  }

  /** Restores failures with the end of their window, as a time of the clock. */
  void restoreFailures(Item<K> item, FailureMemory failures, long windowEnd) {
    if (failures.row() > 0 && item.failures() == 0) {
      Item.Detail detail = item.detail();
      detail.failures = failures.row();
      detail.windowEnd = windowEnd;
      state.failing++;
    }
    failures.restoreError(item, state.causes);
  }
}
