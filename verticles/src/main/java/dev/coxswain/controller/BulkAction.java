// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.ControllerStatus.State;
import dev.coxswain.queue.Item;
import dev.coxswain.queue.ItemFilter;
import dev.coxswain.queue.Phase;
import dev.coxswain.queue.QueueReader;
import dev.coxswain.queue.WorkQueue;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * One {@link BulkRequest} being worked off in slices: it first collects what matches, then, unless
 * that is too much or only a count was wanted, changes one item after the other.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class BulkAction<K> {
  private static final int SLICE = 500;

  private final BulkRequest request;
  private final WorkQueue<K> queue;
  private final QueueReader<K> reader;
  private final Controller<K> controller;
  private final ReconcileLoop<K> loop;
  private final Executor executor;
  private final Promise<BulkResult> done;

  private final BulkTally<K> tally;
  private final QueueReader<K>.Walk walk;
  private int previewed;
  private int next;

  BulkAction(
      BulkRequest request,
      WorkQueue<K> queue,
      QueueReader<K> reader,
      Controller<K> controller,
      ReconcileLoop<K> loop,
      Executor executor,
      Promise<BulkResult> done) {
    this.request = request;
    this.queue = queue;
    this.reader = reader;
    this.controller = controller;
    this.loop = loop;
    this.executor = executor;
    this.done = done;
    // What arrives while the walk is under way is younger than what the caller could have meant.
    long asOfSeq = Math.min(request.filter().maxSeq(), reader.lastSeq());
    ItemFilter filter = request.filter().upTo(asOfSeq);
    this.tally = new BulkTally<>(reader, asOfSeq);
    this.walk = reader.walk(filter, null, BulkRequest.MAX_AFFECTED + 1);
  }

  void begin() {
    guarded(this::collect);
  }

  /** Every slice is guarded: what it calls is partly the user's, and whoever asked must be told. */
  private void guarded(Runnable slice) {
    try {
      slice.run();
    } catch (Throwable e) {
      done.tryFail(e);
    } finally {
      loop.pump();
    }
  }

  private void later(Runnable slice) {
    executor.execute(() -> guarded(slice));
  }

  private void collect() {
    int from = walk.items().size();
    boolean more = walk.step();
    for (Item<K> item : walk.items().subList(from, walk.items().size())) {
      tally.matched(item);
    }
    if (more) {
      later(this::collect);
      return;
    }
    boolean tooMany = walk.items().size() > request.maxAffected();
    if (!request.dryRun() && !tooMany) {
      change();
    } else if (request.action() == BulkRequest.Action.FLUSH && request.then() != Then.NONE) {
      preview();
    } else {
      finish();
    }
  }

  private void preview() {
    List<Item<K>> items = walk.items();
    int end = Math.min(items.size(), previewed + SLICE);
    for (; previewed < end; previewed++) {
      Item<K> item = items.get(previewed);
      if (item.phase() != Phase.IN_FLIGHT) {
        tally.relisted(comesBack(item.key()));
      }
    }
    if (previewed < items.size()) {
      later(this::preview);
    } else {
      finish();
    }
  }

  private boolean comesBack(K key) {
    return request.then() == Then.REQUEUE_AFTER || controller.sourceThatKnows(key) != null;
  }

  private void change() {
    List<Item<K>> items = walk.items();
    int end = Math.min(items.size(), next + SLICE);
    for (; next < end; next++) {
      Item<K> item = items.get(next);
      if (loop.state() == State.DRAINING || loop.state() == State.STOPPED) {
        tally.skipped("the controller is stopping");
      } else if (queue.find(item.key()) != item || !reader.matches(item, request.filter())) {
        tally.skipped("changed meanwhile");
      } else {
        apply(item);
      }
    }
    if (next < items.size()) {
      later(this::change);
    } else {
      finish();
    }
  }

  private void apply(Item<K> item) {
    switch (request.action()) {
      case RETRY -> tally.changed(queue.actions().promoteWithin(item, spread()), "due already");
      case FORGET -> tally.changed(queue.actions().forget(item, false), "has not failed");
      case REQUEUE -> {
        queue.actions().reschedule(item, request.delay().toNanos() + spread());
        tally.changed(true, "");
      }
      case FLUSH -> flush(item);
    }
  }

  private void flush(Item<K> item) {
    if (item.phase() == Phase.IN_FLIGHT) {
      tally.changed(request.dropDirty() && queue.actions().dropDirty(item), "in flight");
      return;
    }
    K key = item.key();
    // Asked before anything is changed: a source that throws must not cost an item.
    boolean again = request.then() != Then.NONE && comesBack(key);
    int failures = item.failures();
    queue.actions().drop(item);
    tally.changed(true, "");
    if (request.then() != Then.NONE) {
      tally.relisted(again);
    }
    if (again) {
      long delay = request.then() == Then.REQUEUE_AFTER ? request.delay().toNanos() : 0;
      queue.addAfter(key, delay + spread(), EventSink.PRIORITY_LOW, Trigger.OPERATOR);
      Item<K> fresh = queue.find(key);
      if (request.keepFailures() && fresh != null) {
        queue.actions().restoreFailures(fresh, failures);
      }
    }
  }

  /**
   * Spreads the items evenly over the asked-for time, in the order in which they are worked off.
   */
  private long spread() {
    long over = request.spreadOver().toNanos();
    return over == 0 ? 0 : (long) ((double) over * next / walk.items().size());
  }

  private void finish() {
    boolean aborted = !request.dryRun() && walk.items().size() > request.maxAffected();
    done.tryComplete(tally.result(request.dryRun(), aborted));
  }
}
