// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.FailureKind;
import dev.coxswain.view.Phase;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A delaying work queue: every request is in it at most once and never in flight twice at the same
 * time.
 *
 * <p>It has no thread and no timer of its own. Its owner adds requests, takes them out with {@link
 * #next}, ends them with one of {@link #succeed}, {@link #succeedAfter} and {@link #retry}, and
 * calls {@link #moveDue} no later than {@link #nextWake}. Nothing is ever dropped and no call
 * blocks; each takes time at most logarithmic in the number of items.
 *
 * <p>Thread rule: confined to its owner's event loop.
 *
 * @param <K> the type of the requests, with equality
 */
public final class WorkQueue<K> {
  // Phases
  //
  //   add ----------------> READY --next--> IN_FLIGHT --succeed--> (gone)
  //   addAfter --> DELAYED --due--^             |  ^
  //                   ^                         |  +-- add meanwhile: DIRTY, READY again at the end
  //                   +------ backoff ----------+
  //                   +--due, RETRY--> WAITING_TOKEN --token, in next--> IN_FLIGHT
  //
  // An item is in the table for as long as it is tracked, and in exactly one of: the ready queue,
  // the heap, the waiting queue, or in flight. RETRY means that its next start takes a token; an
  // event clears it, because events are never limited.

  /** Longer delays are cut to this, about 146 years, so that due times stay comparable. */
  static final long MAX_DELAY = Long.MAX_VALUE / 2;

  private final QueueOptions<K> options;
  private final QueueState<K> state;
  private final QueueActions<K> actions;
  private final FailureCount<K> failures;

  private boolean paused;
  private boolean closed;

  /**
   * Creates an empty queue.
   *
   * @param options the options
   * @param clock the time
   * @param waiter its place in the queue for tokens; closed by the owner
   * @param telemetry the receiver of its metrics
   */
  public WorkQueue(
      QueueOptions<K> options,
      Clock clock,
      RetryBudget.Waiter waiter,
      ControllerTelemetry telemetry) {
    this.options = Objects.requireNonNull(options, "options");
    this.state = new QueueState<>(options, clock, waiter, telemetry);
    this.actions = new QueueActions<>(state);
    this.failures = new FailureCount<>(options, state);
  }

  /** Returns the actions of operators on single items. */
  public QueueActions<K> actions() {
    return actions;
  }

  QueueState<K> state() {
    return state;
  }

  // ---- adding ----

  /**
   * Adds a request that is due now, or merges it with its item.
   *
   * @param key the request
   * @param priority higher first, cut to the range of a byte
   * @param trigger the cause
   */
  public void add(K key, int priority, Trigger trigger) {
    if (closed) {
      state.telemetry.rejected();
      return;
    }
    byte level = QueueState.level(priority);
    int hash = ItemTable.mix(key.hashCode());
    Item<K> item = state.table.find(key, hash);
    if (item == null) {
      state.makeReady(state.track(key, hash, level, trigger), state.clock.nanos());
      return;
    }
    Phase phase = item.phase();
    if (phase == Phase.TERMINAL) {
      state.makeReady(state.revive(item, level, trigger), state.clock.nanos());
      return;
    }
    merged(item, phase);
    switch (phase) {
      case READY -> state.raise(item, level);
      case IN_FLIGHT -> state.markDirty(item, level, trigger);
      case DELAYED -> {
        // Due now, and only once: a delayed duplicate would run it again later.
        state.delayed.remove(item);
        QueueState.becomeFresh(item, level, trigger);
        state.makeReady(item, state.clock.nanos());
      }
      case WAITING_TOKEN -> {
        // Events are never limited, so it needs no token any more.
        state.removeWaiting(item);
        QueueState.becomeFresh(item, level, trigger);
        state.makeReady(item, state.clock.nanos());
      }
      case TERMINAL -> throw new IllegalStateException("handled above");
    }
  }

  private void merged(Item<K> item, Phase phase) {
    state.telemetry.merged(phase);
    state.merged++;
    if (!state.onMerge.isEmpty()) {
      for (Consumer<Item<K>> listener : state.onMerge) {
        listener.accept(item);
      }
    }
  }

  /**
   * Adds a request that is due after a delay; the earlier of two times wins.
   *
   * @param key the request
   * @param delayNanos how long to wait; zero or negative means now
   * @param priority higher first, cut to the range of a byte
   * @param trigger the cause
   */
  public void addAfter(K key, long delayNanos, int priority, Trigger trigger) {
    if (delayNanos <= 0) {
      add(key, priority, trigger);
      return;
    }
    if (closed) {
      state.telemetry.rejected();
      return;
    }
    byte level = QueueState.level(priority);
    long due = state.clock.nanos() + Math.min(delayNanos, MAX_DELAY);
    int hash = ItemTable.mix(key.hashCode());
    Item<K> item = state.table.find(key, hash);
    if (item == null) {
      state.delay(state.track(key, hash, level, trigger), due);
      return;
    }
    Phase phase = item.phase();
    if (phase == Phase.TERMINAL) {
      state.delay(state.revive(item, level, trigger), due);
      return;
    }
    merged(item, phase);
    switch (phase) {
      case READY, WAITING_TOKEN -> state.raise(item, level); // due already, which is earlier
      case IN_FLIGHT -> state.keepPending(item, due, level, trigger);
      case DELAYED -> {
        if (due - item.time < 0) {
          state.delayed.remove(item);
          QueueState.becomeFresh(item, level, trigger);
          state.delay(item, due);
        } else {
          state.raise(item, level);
        }
      }
      case TERMINAL -> throw new IllegalStateException("handled above");
    }
  }

  // ---- time ----

  /**
   * Moves items that have become due out of the delayed phase.
   *
   * @param limit the maximum number of items to move
   * @return whether more are due
   */
  public boolean moveDue(int limit) {
    long now = state.clock.nanos();
    for (int moved = 0; moved < limit; moved++) {
      Item<K> item = state.delayed.peek();
      if (item == null || item.time - now > 0) {
        return false;
      }
      long late = now - item.time;
      state.delayed.remove(item);
      if (item.is(Item.RETRY) && options.composition() == Composition.ADMISSION) {
        item.phase = (byte) Phase.WAITING_TOKEN.ordinal();
        item.time = now;
        item.order = state.nextOrder++;
        state.waiting.add(item);
      } else {
        state.makeReady(item, now);
      }
      state.telemetry.wokeUp(late);
    }
    Item<K> item = state.delayed.peek();
    return item != null && item.time - now <= 0;
  }

  /**
   * Returns whether {@link #nextWake} has a value.
   *
   * @param workerFree whether the owner could start an item
   */
  public boolean needsWake(boolean workerFree) {
    return state.delayed.peek() != null || waitsForToken(workerFree);
  }

  /**
   * Returns when the queue must be checked again without a call before, as a time of the clock;
   * only when {@link #needsWake}.
   *
   * @param workerFree whether the owner could start an item
   */
  public long nextWake(boolean workerFree) {
    Item<K> first = state.delayed.peek();
    if (!waitsForToken(workerFree)) {
      return first == null ? state.clock.nanos() + MAX_DELAY : first.time;
    }
    return first == null || state.gate.retryAt() - first.time < 0
        ? state.gate.retryAt()
        : first.time;
  }

  private boolean waitsForToken(boolean workerFree) {
    return workerFree && state.gate.isClosed() && !paused && !closed && state.waiting.size() > 0;
  }

  /**
   * Clears the denial of a token: one may be available before the time that the budget returned.
   */
  public void tokenMayBeThere() {
    state.gate.forgetDenial();
  }

  // ---- attempts ----

  /**
   * Takes the next item to reconcile, which is in flight from then on. A retry takes its token here
   * and nowhere else.
   *
   * @return the item, or null when none may start now
   */
  public @Nullable Item<K> next() {
    if (paused || closed) {
      return null;
    }
    Item<K> fresh = state.ready.peek();
    Item<K> retry = state.waiting.peek();
    if (retry == null && fresh == null) {
      return null;
    }
    long now = state.clock.nanos();
    if (retry != null
        && (fresh == null || isBefore(retry, fresh))
        && state.gate.pass(state.waiting.size(), now)) {
      state.waiting.removeHead(retry);
      state.leftWaiting();
      state.added++;
      state.telemetry.added(retry.priority);
      state.telemetry.tokenGranted(now - retry.time);
      return start(retry, now, 0);
    }
    if (fresh == null) {
      return null;
    }
    state.ready.removeHead(fresh);
    return start(fresh, now, now - fresh.time);
  }

  private boolean isBefore(Item<K> retry, Item<K> fresh) {
    return retry.priority <= fresh.priority
        ? state.ready.overtakes(retry, fresh)
        : !state.ready.overtakes(fresh, retry);
  }

  private Item<K> start(Item<K> item, long now, long readyNanos) {
    state.telemetry.started(readyNanos);
    Item.Detail detail = item.detail;
    item.set(
        Item.IN_WINDOW,
        !item.is(Item.RETRY)
            && detail != null
            && detail.failures > 0
            && now - detail.windowEnd < 0);
    item.set(Item.RETRY, false);
    item.phase = (byte) Phase.IN_FLIGHT.ordinal();
    item.time = now;
    item.order = state.nextOrder++;
    state.inFlight++;
    return item;
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
    forgetRow(item);
    end(item, false, 0);
  }

  /**
   * Ends an attempt with a terminal failure. The item leaves the queue until the next event and is
   * kept beside it in {@link Phase#TERMINAL}, unless it was added again meanwhile.
   *
   * @param error the failure, for display
   * @param kind the kind that holds its stack trace, or null
   * @throws IllegalStateException as {@link #succeed}
   */
  public void failTerminally(Item<K> item, String error, @Nullable FailureKind kind) {
    requireInFlight(item);
    failures.terminal(item, error, kind);
    if (end(item, false, 0)) {
      state.keepTerminal(item);
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
    forgetRow(item);
    end(item, true, state.clock.nanos() + Math.max(0, Math.min(delayNanos, MAX_DELAY)));
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
    retry(item, failedAt, atLeastNanos, error, null);
  }

  /**
   * Ends an attempt with a failure that has a stack trace, as the method above.
   *
   * @param kind the kind that holds the stack trace, or null
   */
  public void retry(
      Item<K> item,
      long failedAt,
      long atLeastNanos,
      @Nullable String error,
      @Nullable FailureKind kind) {
    requireInFlight(item);
    if (item.is(Item.DIRTY) || item.detail().pending) {
      item.detail().raise(item.priority); // a failure must not lower the priority
    }
    Item.Detail detail = failures.count(item, failedAt, atLeastNanos, error, kind);
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

  private static void requireInFlight(Item<?> item) {
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

  /**
   * Marks an item in flight whose attempt has run into its time limit but has not ended.
   *
   * @throws IllegalStateException as {@link #succeed}
   */
  public void markOverdue(Item<K> item) {
    requireInFlight(item);
    if (!item.is(Item.OVERDUE)) {
      item.set(Item.OVERDUE, true);
      state.overdue++;
      item.order = state.nextOrder++;
    }
  }

  /** Stops or resumes handing out items. */
  public void setPaused(boolean value) {
    paused = value;
    if (value && state.waiting.size() > 0) {
      state.gate.leave(); // tokens must not be reserved for a paused controller
    }
  }

  /**
   * Stops accepting requests and starting attempts for good; items in flight can still be ended.
   */
  public void close() {
    closed = true;
    state.gate.leave();
  }

  // ---- reads ----

  /**
   * Returns the item of a request, or null when it is neither in the queue nor kept as {@link
   * Phase#TERMINAL}.
   */
  public @Nullable Item<K> find(K key) {
    return state.table.find(key, ItemTable.mix(key.hashCode()));
  }

  /** Returns how many items are in the queue. */
  public int size() {
    return state.table.size() - state.terminal.size();
  }

  /** Returns how many items are in a phase. */
  public int size(Phase phase) {
    return state.size(phase);
  }
}
