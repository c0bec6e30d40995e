// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.FailureCauses;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The items of a queue, the phases they are in, and the moves between phases. Every move updates
 * the counters and the revision; {@link WorkQueue} and {@link QueueActions} decide which move is
 * made.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class QueueState<K> {
  /** No time of the clock. */
  static final long NEVER = Long.MIN_VALUE;

  final Clock clock;
  final ControllerTelemetry telemetry;
  final TokenGate gate;

  final ItemTable<K> table = new ItemTable<>();
  final DeadlineHeap<K> delayed = new DeadlineHeap<>();
  final ReadyQueue<K> ready;
  final ReadyQueue<K> waiting;

  int nextOrder;
  private long nextSeq = 1;
  int inFlight;
  int dirty;
  int failing;
  int overdue;

  /** Listeners for items to which a request is added while they are in the queue; few and fast. */
  final List<Consumer<Item<K>>> onMerge = new ArrayList<>(0);

  final FailureCauses causes;
  final PausedCauses<K> pausedCauses = new PausedCauses<>(this);
  final TerminalItems<K> terminal = new TerminalItems<>(table);
  long added;
  long merged;
  long retried;

  QueueState(
      QueueOptions<K> options,
      Clock clock,
      RetryBudget.Waiter waiter,
      ControllerTelemetry telemetry) {
    this.clock = Objects.requireNonNull(clock, "clock");
    this.causes = new FailureCauses(clock);
    this.gate = new TokenGate(waiter);
    this.telemetry = Objects.requireNonNull(telemetry, "telemetry");
    Function<? super K, ?> flowOf = options.flowOf();
    Function<K, Object> contained = flowOf == null ? null : key -> flow(flowOf, key);
    long agingStep = Durations.toNanos(options.agingStep());
    this.ready = new ReadyQueue<>(contained, agingStep);
    this.waiting = new ReadyQueue<>(contained, agingStep);
  }

  private Object flow(Function<? super K, ?> flowOf, K key) {
    try {
      Object flow = flowOf.apply(key);
      return flow == null ? "" : flow;
    } catch (Throwable e) {
      telemetry.userCodeFailed(
          "namespace of a request",
          e); // the user's function; its requests share the flow without a name
      return "";
    }
  }

  Item<K> track(K key, int hash, byte priority, Trigger trigger) {
    Item<K> item = new Item<>(key, hash, (int) nextSeq++);
    item.priority = priority;
    item.trigger(trigger);
    table.insert(item);
    return item;
  }

  /**
   * Tracks a request again that had failed terminally. It is a new item, younger than earlier bulk
   * actions, and keeps the number of failures since the last success.
   */
  Item<K> revive(Item<K> failed, byte priority, Trigger trigger) {
    terminal.remove(failed);
    Item<K> item = track(failed.key, failed.hash, priority, trigger);
    Item.Detail before = failed.detail;
    if (before != null) {
      item.detail().failuresBefore = before.failuresBefore;
    }
    return item;
  }

  /** Keeps an item that has left the queue with a terminal failure. */
  void keepTerminal(Item<K> item) {
    item.phase = (byte) Phase.TERMINAL.ordinal();
    item.time = clock.nanos();
    item.order = nextOrder++;
    terminal.add(item);
  }

  void makeReady(Item<K> item, long now) {
    item.phase = (byte) Phase.READY.ordinal();
    item.time = now;
    item.order = nextOrder++;
    ready.add(item);
    added++;
    telemetry.added(item.priority);
  }

  void delay(Item<K> item, long due) {
    item.phase = (byte) Phase.DELAYED.ordinal();
    item.time = due;
    item.order = nextOrder++;
    delayed.add(item);
    retried++;
    telemetry.delayed();
  }

  void raise(Item<K> item, byte priority) {
    if (priority <= item.priority) {
      return;
    }
    ReadyQueue<K> line =
        switch (item.phase()) {
          case READY -> ready;
          case WAITING_TOKEN -> waiting;
          case DELAYED, IN_FLIGHT, TERMINAL -> null;
        };
    if (line == null) {
      item.priority = priority;
      return;
    }
    line.remove(item);
    item.priority = priority;
    item.order = nextOrder++;
    line.add(item);
  }

  static <K> void becomeFresh(Item<K> item, byte priority, Trigger trigger) {
    item.set(Item.RETRY, false);
    item.priority = (byte) Math.max(item.priority, priority);
    item.trigger(trigger);
  }

  /**
   * Returns whether a cause is a change. What is only delivered because it came to this replica, or
   * because a source has started, leaves a retry a retry: otherwise each move of a slot would turn
   * its retries into attempts without a token.
   */
  static boolean isChange(Trigger trigger) {
    return trigger != Trigger.ACQUIRED && trigger != Trigger.INITIAL_LIST;
  }

  /** Makes an item that is in no line a retry that is due now, and takes a token. */
  void retryNow(Item<K> item, byte priority, long now) {
    item.priority = (byte) Math.max(item.priority, priority);
    item.trigger(Trigger.RETRY);
    item.set(Item.RETRY, true);
    delay(item, now);
  }

  void markDirty(Item<K> item, byte priority, Trigger trigger) {
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

  void keepPending(Item<K> item, long due, byte priority, Trigger trigger) {
    Item.Detail detail = item.detail();
    boolean first = !detail.pending;
    detail.pendingPriority = first ? priority : (byte) Math.max(detail.pendingPriority, priority);
    if (first || due - detail.pendingDue < 0) {
      detail.pending = true;
      detail.pendingReplaces = false;
      detail.pendingRetry = false;
      detail.pendingDue = due;
      detail.pendingTrigger = (byte) trigger.ordinal();
      item.order = nextOrder++;
    }
  }

  void removeWaiting(Item<K> item) {
    waiting.remove(item);
    leftWaiting();
  }

  void leftWaiting() {
    if (waiting.size() == 0) {
      gate.leave();
    }
  }

  void clearFailures(Item<K> item) {
    Item.Detail detail = item.detail;
    if (detail != null && detail.failures > 0) {
      detail.failures = 0;
      detail.lastError = null;
      detail.cause(null);
      failing--;
    }
  }

  /** Returns how many items are in a phase. */
  int size(Phase phase) {
    return switch (phase) {
      case READY -> ready.size();
      case DELAYED -> delayed.size();
      case WAITING_TOKEN -> waiting.size();
      case IN_FLIGHT -> inFlight;
      case TERMINAL -> terminal.size();
    };
  }

  /** Returns the sequence number of an item, which is assigned once and grows. */
  long seqOf(Item<K> item) {
    // Only the low half is stored; the distance to the youngest item gives the rest.
    return nextSeq - Integer.toUnsignedLong((int) nextSeq - item.seq);
  }

  /** Returns the sequence number of the youngest item so far, 0 for none. */
  long lastSeq() {
    return nextSeq - 1;
  }

  /** Returns how many items are served before this one in its queue, or -1 when it is in none. */
  int before(Item<K> item) {
    return switch (item.phase()) {
      case READY -> ready.before(item);
      case WAITING_TOKEN -> waiting.before(item);
      case DELAYED, IN_FLIGHT, TERMINAL -> -1;
    };
  }

  long estimateTokenNanos(int position) {
    return gate.estimateNanos(position);
  }

  /** Returns since when the oldest ready item has been ready; only when there is one. */
  long oldestReadySince() {
    return ready.oldestSince();
  }

  /** Returns the first due time of a delayed item; {@link #NEVER} without one. */
  long firstDue() {
    Item<K> first = delayed.peek();
    return first == null ? NEVER : pausedCauses.shownDueOf(first);
  }

  static byte level(int priority) {
    return (byte) Math.max(Byte.MIN_VALUE, Math.min(Byte.MAX_VALUE, priority));
  }
}
