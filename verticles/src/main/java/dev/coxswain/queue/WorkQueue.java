// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.queue;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.telemetry.ControllerTelemetry;
import dev.coxswain.time.Clock;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A delaying work queue: every request at most once, never handed out twice at the same time.
 *
 * <p>It has no thread and no timer of its own. Its owner adds requests, takes them out with {@link
 * #next}, ends them with one of {@link #succeed}, {@link #succeedAfter}, {@link #retry} and {@link
 * #giveUp}, and calls {@link #moveDue} no later than {@link #nextWake} says. Nothing is ever
 * dropped and no call blocks; each takes time at most logarithmic in the number of items.
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
  // An item is in the table for as long as it is tracked, and in exactly one of: the ready line,
  // the
  // heap, the waiting line, or its owner's hands. The RETRY flag says that its next start is paid
  // for
  // with a token; an event clears it, because events are never limited.

  /** Longer delays are cut to this, about 146 years, so that due times stay comparable. */
  private static final long MAX_DELAY = Long.MAX_VALUE / 2;

  private static final int MAX_ERROR = 1024;

  private final QueueOptions<K> options;
  private final Clock clock;
  private final RetryBudget.Lane lane;
  private final ControllerTelemetry telemetry;

  private final ItemTable<K> table = new ItemTable<>();
  private final DeadlineHeap<K> delayed = new DeadlineHeap<>();
  private final ReadyLine<K> ready;
  private final FlowQueue<K> waiting;

  private boolean paused;
  private boolean closed;

  /** When asking for a token may succeed; not asked before, so that a full line costs nothing. */
  private long tokenAt;

  private boolean tokenDenied;

  private int nextOrder;
  private long nextSeq = 1;
  private int inFlight;
  private int dirty;
  private int failing;
  private int overdue;
  private long added;
  private long merged;
  private long retried;

  /**
   * Creates an empty queue.
   *
   * @param options how it behaves
   * @param clock the time
   * @param lane its place in the line for retry tokens; closed by the owner
   * @param telemetry what hears of it
   */
  public WorkQueue(
      QueueOptions<K> options, Clock clock, RetryBudget.Lane lane, ControllerTelemetry telemetry) {
    this.options = Objects.requireNonNull(options, "options");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.lane = Objects.requireNonNull(lane, "lane");
    this.telemetry = Objects.requireNonNull(telemetry, "telemetry");
    Function<? super K, ?> flowOf = options.flowOf();
    Function<K, Object> contained = flowOf == null ? null : key -> flow(flowOf, key);
    this.ready = new ReadyLine<>(contained, options.agingStep().toNanos());
    this.waiting = new FlowQueue<>(contained);
  }

  private Object flow(Function<? super K, ?> flowOf, K key) {
    try {
      Object flow = flowOf.apply(key);
      return flow == null ? "" : flow;
    } catch (RuntimeException e) {
      telemetry.userCodeFailed(); // the user's function; its requests share the flow without a name
      return "";
    }
  }

  // ---- intake ----

  /**
   * Adds a request that is due now, or merges it with what is known of it.
   *
   * @param key the request
   * @param priority higher first, cut to the range of a byte
   * @param trigger the cause
   */
  public void add(K key, int priority, Trigger trigger) {
    if (closed) {
      telemetry.rejected();
      return;
    }
    byte level = level(priority);
    int hash = ItemTable.mix(key.hashCode());
    Item<K> item = table.find(key, hash);
    if (item == null) {
      makeReady(track(key, hash, level, trigger), clock.nanos());
      return;
    }
    Phase phase = item.phase();
    telemetry.merged(phase);
    merged++;
    switch (phase) {
      case READY -> raise(item, level);
      case IN_FLIGHT -> markDirty(item, level, trigger);
      case DELAYED -> {
        // Due now, and only once: there is no delayed twin that would run it again later.
        delayed.remove(item);
        becomeFresh(item, level, trigger);
        makeReady(item, clock.nanos());
      }
      case WAITING_TOKEN -> {
        // Events are never limited, so it need not wait for the token any more.
        removeWaiting(item);
        becomeFresh(item, level, trigger);
        makeReady(item, clock.nanos());
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
      telemetry.rejected();
      return;
    }
    byte level = level(priority);
    long due = clock.nanos() + Math.min(delayNanos, MAX_DELAY);
    int hash = ItemTable.mix(key.hashCode());
    Item<K> item = table.find(key, hash);
    if (item == null) {
      delay(track(key, hash, level, trigger), due);
      return;
    }
    Phase phase = item.phase();
    telemetry.merged(phase);
    merged++;
    switch (phase) {
      case READY, WAITING_TOKEN -> raise(item, level); // due already, which is earlier
      case IN_FLIGHT -> keepPending(item, due, level, trigger);
      case DELAYED -> {
        if (due - item.time < 0) {
          delayed.remove(item);
          becomeFresh(item, level, trigger);
          delay(item, due);
        } else {
          raise(item, level);
        }
      }
    }
  }

  private Item<K> track(K key, int hash, byte priority, Trigger trigger) {
    Item<K> item = new Item<>(key, hash, (int) nextSeq++);
    item.priority = priority;
    item.trigger(trigger);
    table.insert(item);
    return item;
  }

  private void makeReady(Item<K> item, long now) {
    item.phase = (byte) Phase.READY.ordinal();
    item.time = now;
    item.order = nextOrder++;
    ready.add(item);
    added++;
    telemetry.added(item.priority);
  }

  private void delay(Item<K> item, long due) {
    item.phase = (byte) Phase.DELAYED.ordinal();
    item.time = due;
    item.order = nextOrder++;
    delayed.add(item);
    retried++;
    telemetry.delayed();
  }

  private void raise(Item<K> item, byte priority) {
    if (priority > item.priority) {
      boolean inLine = item.phase == Phase.READY.ordinal();
      if (inLine) {
        ready.remove(item);
      }
      item.priority = priority;
      if (inLine) {
        ready.add(item);
      }
    }
  }

  private static <K> void becomeFresh(Item<K> item, byte priority, Trigger trigger) {
    item.set(Item.RETRY, false);
    item.priority = (byte) Math.max(item.priority, priority);
    item.trigger(trigger);
  }

  private void markDirty(Item<K> item, byte priority, Trigger trigger) {
    Item.Detail detail = item.detail();
    if (item.is(Item.DIRTY)) {
      detail.dirtyPriority = (byte) Math.max(detail.dirtyPriority, priority);
      return;
    }
    item.set(Item.DIRTY, true);
    dirty++;
    item.order = nextOrder++;
    detail.dirtyPriority = priority;
    detail.dirtyTrigger = (byte) trigger.ordinal();
  }

  private void keepPending(Item<K> item, long due, byte priority, Trigger trigger) {
    Item.Detail detail = item.detail();
    if (!detail.pending || due - detail.pendingDue < 0) {
      detail.pending = true;
      detail.pendingDue = due;
      detail.pendingPriority = priority;
      detail.pendingTrigger = (byte) trigger.ordinal();
      item.order = nextOrder++;
    }
  }

  private void removeWaiting(Item<K> item) {
    waiting.remove(item);
    leftWaiting();
  }

  private void leftWaiting() {
    if (waiting.size() == 0) {
      lane.withdraw();
      tokenDenied = false;
    }
  }

  // ---- time ----

  /**
   * Moves items that have become due out of the delayed phase.
   *
   * @param limit the most items to move
   * @return whether more are due
   */
  public boolean moveDue(int limit) {
    long now = clock.nanos();
    for (int moved = 0; moved < limit; moved++) {
      Item<K> item = delayed.peek();
      if (item == null || item.time - now > 0) {
        return false;
      }
      delayed.remove(item);
      telemetry.wokeUp(now - item.time);
      if (item.is(Item.RETRY) && options.composition() == Composition.ADMISSION) {
        item.phase = (byte) Phase.WAITING_TOKEN.ordinal();
        item.time = now;
        item.order = nextOrder++;
        waiting.add(item);
      } else {
        makeReady(item, now);
      }
    }
    Item<K> item = delayed.peek();
    return item != null && item.time - now <= 0;
  }

  /**
   * Returns whether {@link #nextWake} has anything to say.
   *
   * @param workerFree whether the owner could start an item
   */
  public boolean needsWake(boolean workerFree) {
    return delayed.peek() != null || waitsForToken(workerFree);
  }

  /**
   * Returns when the queue must be looked at again although nobody touches it, as a time of the
   * clock; only when {@link #needsWake}.
   *
   * @param workerFree whether the owner could start an item
   */
  public long nextWake(boolean workerFree) {
    Item<K> first = delayed.peek();
    if (!waitsForToken(workerFree)) {
      return first == null ? clock.nanos() + MAX_DELAY : first.time;
    }
    return first == null || tokenAt - first.time < 0 ? tokenAt : first.time;
  }

  private boolean waitsForToken(boolean workerFree) {
    return workerFree && tokenDenied && !paused && !closed && waiting.size() > 0;
  }

  // ---- attempts ----

  /**
   * Takes out the item that is to be reconciled next; it is in flight from then on. A retry takes
   * its token here and nowhere else.
   *
   * @return the item, or null when none may start now
   */
  public @Nullable Item<K> next() {
    if (paused || closed) {
      return null;
    }
    Item<K> fresh = ready.peek();
    Item<K> retry = waiting.peek();
    if (retry == null && fresh == null) {
      return null;
    }
    long now = clock.nanos();
    if (retry != null && (fresh == null || isBefore(retry, fresh)) && mayAskForToken(now)) {
      long wait = lane.tryAcquire(waiting.size());
      tokenDenied = wait > 0;
      if (!tokenDenied) {
        waiting.removeHead(retry);
        leftWaiting();
        telemetry.tokenGranted(now - retry.time);
        return start(retry, now);
      }
      tokenAt = now + wait;
    }
    if (fresh == null) {
      return null;
    }
    ready.removeHead(fresh);
    return start(fresh, now);
  }

  private boolean isBefore(Item<K> retry, Item<K> fresh) {
    return retry.priority <= fresh.priority
        ? ready.overtakes(retry, fresh)
        : !ready.overtakes(fresh, retry);
  }

  private boolean mayAskForToken(long now) {
    return !tokenDenied || tokenAt - now <= 0;
  }

  private Item<K> start(Item<K> item, long now) {
    telemetry.started(now - item.time);
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
    item.order = nextOrder++;
    inFlight++;
    return item;
  }

  /** Ends an attempt that was done: the failure count is reset and the item leaves the queue. */
  public void succeed(Item<K> item) {
    clearFailures(item);
    end(item, false, 0);
  }

  /**
   * Ends an attempt that was done and asked to be called again: the failure count is reset, and no
   * token is paid.
   *
   * @param delayNanos how long to wait; zero or negative means at the tail of what is ready
   */
  public void succeedAfter(Item<K> item, long delayNanos) {
    clearFailures(item);
    end(item, true, clock.nanos() + Math.max(0, Math.min(delayNanos, MAX_DELAY)));
  }

  /** Ends an attempt that no retry can cure: as {@link #succeed}, until the next event. */
  public void giveUp(Item<K> item) {
    succeed(item);
  }

  /**
   * Ends an attempt that is to be repeated after the item's backoff and with a token. A failure
   * that an event caused inside the backoff window neither counts nor moves the end of the window.
   *
   * @param failedAt when it failed, as a time of the clock; the backoff is counted from there
   * @param atLeastNanos the least delay, 0 for none
   * @param error the failure for people, or null when there is none to show
   */
  public void retry(Item<K> item, long failedAt, long atLeastNanos, @Nullable String error) {
    Item.Detail detail = item.detail();
    long atLeast = failedAt + Math.min(atLeastNanos, MAX_DELAY);
    if (item.is(Item.IN_WINDOW) && detail.failures > 0) {
      detail.windowEnd = later(detail.windowEnd, atLeast);
    } else {
      if (detail.failures == 0) {
        failing++;
      }
      detail.failures =
          detail.failures == Integer.MAX_VALUE ? detail.failures : detail.failures + 1;
      long backoff = backoff(detail.failures);
      if (options.composition() == Composition.MAX_OF) {
        backoff = Math.max(backoff, lane.reserve());
      }
      detail.windowEnd = later(failedAt + Math.min(backoff, MAX_DELAY), atLeast);
    }
    if (error != null) {
      detail.lastError = error.length() > MAX_ERROR ? error.substring(0, MAX_ERROR) : error;
      detail.lastErrorMillis = clock.instant().toEpochMilli();
    }
    boolean superseded =
        item.is(Item.DIRTY) || (detail.pending && detail.pendingDue - detail.windowEnd < 0);
    if (!superseded) {
      item.set(Item.RETRY, true);
      item.trigger(Trigger.RETRY);
    }
    end(item, true, detail.windowEnd);
  }

  private long backoff(int failures) {
    try {
      return Math.max(0, options.backoff().delayNanos(failures));
    } catch (RuntimeException e) {
      telemetry
          .userCodeFailed(); // the user's backoff; the longest standard delay is the safe answer
      return dev.coxswain.retry.Backoff.DEFAULT_MAX.toNanos();
    }
  }

  private static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }

  private void clearFailures(Item<K> item) {
    Item.Detail detail = item.detail;
    if (detail != null && detail.failures > 0) {
      detail.failures = 0;
      detail.lastError = null;
      failing--;
    }
  }

  /**
   * Gives an item that was in flight its next place. What was added while it ran wins over what its
   * attempt asked for, and the earlier of two times wins over the later.
   */
  private void end(Item<K> item, boolean again, long due) {
    inFlight--;
    if (item.is(Item.OVERDUE)) {
      item.set(Item.OVERDUE, false);
      overdue--;
    }
    Item.Detail detail = item.detail;
    long now = clock.nanos();
    if (item.is(Item.DIRTY) && detail != null) {
      item.set(Item.DIRTY, false);
      dirty--;
      detail.pending = false;
      item.priority = detail.dirtyPriority;
      item.trigger(detail.dirtyTrigger());
      makeReady(item, now);
      return;
    }
    if (detail != null && detail.pending) {
      detail.pending = false;
      if (!again || detail.pendingDue - due < 0) {
        item.priority = detail.pendingPriority;
        item.trigger(detail.pendingTrigger());
        delay(item, detail.pendingDue);
        return;
      }
    }
    if (!again) {
      table.remove(item);
      item.order = nextOrder++;
      return;
    }
    if (!item.is(Item.RETRY)) {
      item.trigger(Trigger.REQUEUE_AFTER);
      if (due - now <= 0) {
        makeReady(item, now);
        return;
      }
    }
    delay(item, due);
  }

  /** Marks an item in flight whose attempt has run into its time limit but has not ended. */
  public void markOverdue(Item<K> item) {
    if (!item.is(Item.OVERDUE)) {
      item.set(Item.OVERDUE, true);
      overdue++;
      item.order = nextOrder++;
    }
  }

  // ---- operator actions; each returns whether it changed anything ----

  /**
   * Makes an item due now, as an event would, keeping its failures: a delayed one becomes ready,
   * one in flight runs once more. One that is ready, or that waits for its token, stays where it
   * is.
   */
  public boolean promote(Item<K> item) {
    switch (item.phase()) {
      case READY, WAITING_TOKEN -> {
        return false;
      }
      case IN_FLIGHT -> markDirty(item, item.priority, Trigger.OPERATOR);
      case DELAYED -> {
        delayed.remove(item);
        becomeFresh(item, item.priority, Trigger.OPERATOR);
        makeReady(item, clock.nanos());
      }
    }
    return true;
  }

  /**
   * Resets the failures of an item.
   *
   * @param reschedule whether a retry that is not due yet becomes due now
   */
  public boolean forget(Item<K> item, boolean reschedule) {
    boolean failed = item.failures() > 0;
    clearFailures(item);
    boolean move = reschedule && item.phase == Phase.DELAYED.ordinal() && item.is(Item.RETRY);
    if (move) {
      promote(item);
    } else if (failed) {
      item.order = nextOrder++;
      if (item.phase == Phase.DELAYED.ordinal()) {
        delayed.remove(item); // the stamp is part of its place
        delayed.add(item);
      }
    }
    return failed || move;
  }

  /**
   * Gives an item a new time, earlier or later, keeping its failures and what its next start costs.
   * One in flight runs once more at that time.
   *
   * @param delayNanos from now; zero or negative means now
   */
  public boolean reschedule(Item<K> item, long delayNanos) {
    long now = clock.nanos();
    long due = now + Math.max(0, Math.min(delayNanos, MAX_DELAY));
    switch (item.phase()) {
      case IN_FLIGHT -> {
        if (delayNanos <= 0) {
          markDirty(item, item.priority, Trigger.OPERATOR);
        } else {
          Item.Detail detail = item.detail();
          detail.pending = false; // replaces, also by a later time
          keepPending(item, due, item.priority, Trigger.OPERATOR);
        }
        return true;
      }
      case READY -> ready.remove(item);
      case DELAYED -> delayed.remove(item);
      case WAITING_TOKEN -> removeWaiting(item);
    }
    if (!item.is(Item.RETRY)) {
      item.trigger(Trigger.OPERATOR);
      if (delayNanos <= 0) {
        makeReady(item, now);
        return true;
      }
    }
    delay(item, due);
    return true;
  }

  /** Takes an item out of the queue, its failures with it; one in flight is left alone. */
  public boolean drop(Item<K> item) {
    switch (item.phase()) {
      case IN_FLIGHT -> {
        return false;
      }
      case READY -> ready.remove(item);
      case DELAYED -> delayed.remove(item);
      case WAITING_TOKEN -> removeWaiting(item);
    }
    clearFailures(item);
    table.remove(item);
    return true;
  }

  /** Makes an item in flight forget that it was added again. */
  public boolean dropDirty(Item<K> item) {
    if (item.phase != Phase.IN_FLIGHT.ordinal()) {
      return false;
    }
    Item.Detail detail = item.detail;
    boolean pending = detail != null && detail.pending;
    if (detail != null) {
      detail.pending = false;
    }
    if (item.is(Item.DIRTY)) {
      item.set(Item.DIRTY, false);
      dirty--;
      return true;
    }
    return pending;
  }

  /** Restores the failure count of an item that was dropped and added again. */
  public void restoreFailures(Item<K> item, int failures) {
    if (failures > 0 && item.failures() == 0) {
      Item.Detail detail = item.detail();
      detail.failures = failures;
      detail.windowEnd = clock.nanos();
      failing++;
    }
  }

  /** Stops or resumes handing out items. */
  public void setPaused(boolean value) {
    paused = value;
    if (value && waiting.size() > 0) {
      lane.withdraw(); // tokens must not be kept for a controller that does not use them
      tokenDenied = false;
    }
  }

  /** Stops intake and hand-out for good; items in flight can still be ended. */
  public void close() {
    closed = true;
  }

  // ---- views ----

  /** Returns the item of a request, or null when it is not tracked. */
  public @Nullable Item<K> find(K key) {
    return table.find(key, ItemTable.mix(key.hashCode()));
  }

  /** Returns how many items are tracked. */
  public int size() {
    return table.size();
  }

  /** Returns how many items are in a phase. */
  public int size(Phase phase) {
    return switch (phase) {
      case READY -> ready.size();
      case DELAYED -> delayed.size();
      case WAITING_TOKEN -> waiting.size();
      case IN_FLIGHT -> inFlight;
    };
  }

  int forEachIn(int segment, Consumer<Item<K>> action) {
    return table.forEachIn(segment, action);
  }

  /** Returns the sequence number of an item: given once, growing. */
  long seqOf(Item<K> item) {
    // Only the low half is kept; the distance to the youngest item gives the rest.
    return nextSeq - Integer.toUnsignedLong((int) nextSeq - item.seq);
  }

  /** Returns the sequence number of the youngest item so far, 0 for none. */
  long lastSeq() {
    return nextSeq - 1;
  }

  /** Returns how many items are served before this one in its line, or -1 when it is in none. */
  int before(Item<K> item) {
    return switch (item.phase()) {
      case READY -> ready.before(item);
      case WAITING_TOKEN -> waiting.before(item);
      case DELAYED, IN_FLIGHT -> -1;
    };
  }

  long estimateTokenNanos(int position) {
    return lane.estimateNanos(position);
  }

  /** Returns since when the item that is served next has been ready, or 0 for none. */
  long oldestReadySince() {
    Item<K> first = ready.peek();
    return first == null ? 0 : first.time;
  }

  /** Returns the first due time of a delayed item; only when there is one. */
  long firstDue() {
    Item<K> first = delayed.peek();
    return first == null ? 0 : first.time;
  }

  int dirty() {
    return dirty;
  }

  int failing() {
    return failing;
  }

  int overdue() {
    return overdue;
  }

  long added() {
    return added;
  }

  long mergedCount() {
    return merged;
  }

  long retriedCount() {
    return retried;
  }

  boolean isPaused() {
    return paused;
  }

  private static byte level(int priority) {
    return (byte) Math.max(Byte.MIN_VALUE, Math.min(Byte.MAX_VALUE, priority));
  }
}
