// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.MovedItem;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Moves the state of items to the queue of another replica: failures, time of the next attempt,
 * token and last error.
 *
 * <p>Thread rule: confined to the queue's event loop.
 *
 * @param <K> the type of the requests
 */
public final class QueueMoves<K> {

  private final QueueState<K> state;
  private final QueueActions<K> actions;
  private final RequestFormat<K> format;

  QueueMoves(QueueState<K> state, QueueActions<K> actions, RequestFormat<K> format) {
    this.state = state;
    this.actions = actions;
    this.format = format;
  }

  /**
   * Adds the items of some requests to a list.
   *
   * @param from where to go on, 0 at first
   * @param limit the maximum length of the list
   * @return where to go on, or {@link QueueActions#END}
   */
  public long exportSome(long from, Predicate<K> requests, List<MovedItem> to, int limit) {
    long next =
        state.table.forEachFrom(
            from,
            item -> {
              if (to.size() < limit && requests.test(item.key)) {
                export(item, to);
              }
            });
    return next == ItemTable.END || to.size() >= limit ? QueueActions.END : next;
  }

  /** Adds an item to a list that was taken out of the queue, or is in it. */
  public void export(Item<K> item, List<MovedItem> to) {
    switch (item.phase()) {
      case READY -> add(item, item.is(Item.RETRY), 0, to);
      case WAITING_TOKEN -> add(item, true, 0, to);
      case DELAYED -> add(item, item.is(Item.RETRY), dueIn(item), to);
      case IN_FLIGHT, TERMINAL -> {
        // Nothing runs in a closed slot. A terminal item is not queued, and starts anew elsewhere.
      }
    }
  }

  /** The replica that receives it holds it by itself while its cause is paused. */
  private long dueIn(Item<K> item) {
    return state.pausedCauses.dueOf(item) - state.clock.nanos();
  }

  private void add(Item<K> item, boolean retry, long dueNanos, List<MovedItem> to) {
    Item.Detail detail = item.detail;
    String error = detail == null || detail.lastError == null ? "" : detail.lastError;
    FailureCause cause = detail == null ? null : detail.cause();
    to.add(
        new MovedItem(
            format.namespace(item.key),
            format.name(item.key),
            item.failures(),
            retry,
            Duration.ofNanos(Math.max(0, dueNanos)),
            item.priority,
            error,
            cause == null ? null : cause.pattern()));
  }

  /**
   * Adds the state of a request, and returns the request; empty when it is none of this
   * controller, or not wanted. One that was added here meanwhile keeps an earlier time, with the
   * failures.
   */
  public Optional<K> restore(MovedItem moved, Predicate<K> wanted) {
    Optional<K> request = format.parse(moved.namespace(), moved.name()).filter(wanted);
    request.ifPresent(key -> restore(key, moved));
    return request;
  }

  private void restore(K key, MovedItem moved) {
    int hash = ItemTable.mix(key.hashCode());
    byte priority = QueueState.level(moved.priority());
    long due = state.clock.nanos() + Math.min(Durations.toNanos(moved.due()), WorkQueue.MAX_DELAY);
    Trigger trigger =
        moved.retry()
            ? Trigger.RETRY
            : moved.due().isZero() ? Trigger.ACQUIRED : Trigger.REQUEUE_AFTER;
    Item<K> item = state.table.find(key, hash);
    FailureMemory failures =
        new FailureMemory(
            moved.failures(),
            moved.error().isEmpty() ? null : moved.error(),
            moved.cause(),
            state.clock.instant().toEpochMilli());
    if (item != null) {
      actions.merge(item, failures, due, moved.retry(), priority, trigger);
      return;
    }
    item = state.track(key, hash, priority, trigger);
    actions.restoreFailures(item, failures, due);
    actions.delayOrMakeReady(item, due, moved.retry());
  }
}
