// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.FailureCauses;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Phase;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A delaying work queue: every request is in it at most once and never in flight twice at the same
 * time.
 *
 * <p>It has no thread and no timer of its own. Its owner adds requests, takes them out with {@link
 * #next}, ends them with {@link #endings}, and calls {@link #moveDue} no later than {@link
 * #nextWake}. Nothing is ever dropped and no call
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

  /** The maximum number of items that one call of {@link #next} takes out of the queue. */
  private static final int MAX_SKIPPED = 1024;

  private final QueueOptions<K> options;
  private final QueueState<K> state;
  private final QueueActions<K> actions;
  private final AttemptEndings<K> endings;

  private StartGate<K> startGate = StartGate.open();
  private int skipped;
  private boolean paused;
  private boolean closed;
  private long readyOfLast;
  private long tokenOfLast;

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
    this.endings = new AttemptEndings<>(options, state);
  }

  /** Returns the actions of operators on single items. */
  public QueueActions<K> actions() {
    return actions;
  }

  /** Returns the ends of attempts. */
  public AttemptEndings<K> endings() {
    return endings;
  }

  /** Returns the causes of failures. */
  public FailureCauses causes() {
    return state.causes;
  }

  /** Returns the pauses of causes. */
  public PausedCauses<K> pausedCauses() {
    return state.pausedCauses;
  }

  /** Returns the moves of items between queues. */
  public QueueMoves<K> moves(RequestFormat<K> format) {
    return new QueueMoves<>(state, actions, format);
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
    Item<K> _ = add(key, priority, trigger, state.clock.nanos());
  }

  /**
   * Adds a request like {@link #add(Object, int, Trigger)}.
   *
   * @param now a time of the clock of this turn of the event loop, from which the item counts as
   *     ready
   * @return its item, or null when the queue is closed
   */
  public @Nullable Item<K> add(K key, int priority, Trigger trigger, long now) {
    if (closed) {
      state.telemetry.rejected();
      return null;
    }
    byte level = QueueState.level(priority);
    int hash = ItemTable.mix(key.hashCode());
    Item<K> item = state.table.find(key, hash);
    if (item == null) {
      item = state.track(key, hash, level, trigger);
      state.makeReady(item, now);
      return item;
    }
    Phase phase = item.phase();
    if (phase == Phase.TERMINAL) {
      Item<K> revived = state.revive(item, level, trigger);
      state.makeReady(revived, now);
      return revived;
    }
    merged(item, phase);
    switch (phase) {
      case READY -> {
        state.raise(item, level);
        if (QueueState.isChange(trigger) && state.pausedCauses.of(item) != null) {
          QueueState.becomeFresh(item, level, trigger); // no retry any more, so it is not held
        }
      }
      case IN_FLIGHT -> state.markDirty(item, level, trigger);
      case DELAYED -> {
        // Due now, and only once: a delayed duplicate would run it again later.
        state.delayed.remove(item);
        if (item.is(Item.RETRY) && !QueueState.isChange(trigger)) {
          state.retryNow(item, level, now);
        } else {
          QueueState.becomeFresh(item, level, trigger);
          state.makeReady(item, now);
        }
      }
      case WAITING_TOKEN -> {
        if (!QueueState.isChange(trigger)) {
          state.raise(item, level);
          return item;
        }
        // Events are never limited, so it needs no token any more.
        state.removeWaiting(item);
        QueueState.becomeFresh(item, level, trigger);
        state.makeReady(item, now);
      }
      case TERMINAL -> throw new IllegalStateException("handled above");
    }
    return item;
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
    long now = state.clock.nanos();
    Item<K> _ = addAt(key, now + Math.min(delayNanos, MAX_DELAY), priority, trigger, now);
  }

  /**
   * Adds a request that is due at a time of the clock; the earlier of two times wins.
   *
   * @param key the request
   * @param time at most {@link #MAX_DELAY} ahead; a time that is over means now
   * @param priority higher first, cut to the range of a byte
   * @param trigger the cause
   * @param now a time of the clock of this turn of the event loop
   * @return its item, or null when the queue is closed
   */
  public @Nullable Item<K> addAt(K key, long time, int priority, Trigger trigger, long now) {
    if (time - now <= 0) {
      return add(key, priority, trigger, now);
    }
    if (closed) {
      state.telemetry.rejected();
      return null;
    }
    byte level = QueueState.level(priority);
    long due = now + Math.min(time - now, MAX_DELAY);
    int hash = ItemTable.mix(key.hashCode());
    Item<K> item = state.table.find(key, hash);
    if (item == null) {
      item = state.track(key, hash, level, trigger);
      state.delay(item, due);
      return item;
    }
    Phase phase = item.phase();
    if (phase == Phase.TERMINAL) {
      Item<K> revived = state.revive(item, level, trigger);
      state.delay(revived, due);
      return revived;
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
    return item;
  }

  // ---- time ----

  /**
   * Moves items that have become due out of the delayed phase.
   *
   * @param limit the maximum number of items to move
   * @return whether more are due
   */
  public boolean moveDue(int limit) {
    if (state.delayed.peek() == null) {
      return false;
    }
    long now = state.clock.nanos();
    state.pausedCauses.endIfOver(now);
    for (int moved = 0; moved < limit; moved++) {
      Item<K> item = state.delayed.peek();
      if (item == null || item.time - now > 0) {
        return false;
      }
      long late = now - item.time;
      state.delayed.remove(item);
      if (state.pausedCauses.hold(item)) {
        continue;
      }
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
   * @param now the time of the clock, not before that of any item that became ready
   * @return the item, or null when none may start now
   */
  public @Nullable Item<K> next(long now) {
    skipped = 0; // also when nothing may start: otherwise the loop would look for more at once
    if (paused || closed) {
      return null;
    }
    Item<K> fresh = first(state.ready);
    Item<K> retry = first(state.waiting);
    if (retry == null && fresh == null) {
      return null;
    }
    if (retry != null
        && (fresh == null || isBefore(retry, fresh))
        && state.gate.pass(state.waiting.size(), now)) {
      state.waiting.removeHead(retry);
      state.leftWaiting();
      state.added++;
      state.telemetry.added(retry.priority);
      state.telemetry.tokenGranted(now - retry.time);
      readyOfLast = 0;
      tokenOfLast = now - retry.time;
      return start(retry, now, 0);
    }
    if (fresh == null) {
      return null;
    }
    state.ready.removeHead(fresh);
    readyOfLast = now - fresh.time;
    tokenOfLast = 0;
    return start(fresh, now, now - fresh.time);
  }

  /** Returns how long the item was ready that {@link #next} returned last, in nanoseconds. */
  public long readyOfLast() {
    return readyOfLast;
  }

  /** Returns how long that item had waited for a token, in nanoseconds. */
  public long tokenOfLast() {
    return tokenOfLast;
  }

  /** Returns the first item of a line that may be started, and takes out those before it. */
  private @Nullable Item<K> first(ReadyQueue<K> line) {
    Item<K> head = line.peek();
    while (head != null && !mayStart(head)) {
      if (++skipped >= MAX_SKIPPED) {
        return null;
      }
      head = line.peek();
    }
    return head;
  }

  /** Takes an item out of its line when it may not be started: its slot is closed, or its cause paused. */
  private boolean mayStart(Item<K> head) {
    if (!startGate.passes(head)) {
      actions.takeOut(head);
      startGate.tookOut(head);
      return false;
    }
    return !actions.hold(head);
  }

  /** Returns whether {@link #next} returned nothing only because it had skipped enough items. */
  public boolean skipsMore() {
    return skipped >= MAX_SKIPPED;
  }

  /** Sets what decides which items may be started; all may at first. */
  public void startGate(StartGate<K> gate) {
    startGate = gate;
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
   * Marks an item in flight whose attempt has run into its time limit but has not ended.
   *
   * @throws IllegalStateException when the item is not in flight
   */
  public void markOverdue(Item<K> item) {
    AttemptEndings.requireInFlight(item);
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

  /** Returns whether requests are not accepted any more. */
  public boolean isClosed() {
    return closed;
  }

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
