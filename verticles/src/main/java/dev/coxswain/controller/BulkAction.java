// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.queue.Item;
import dev.coxswain.queue.ItemFilter;
import dev.coxswain.queue.Phase;
import dev.coxswain.queue.QueueReader;
import dev.coxswain.queue.WorkQueue;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * One {@link BulkRequest} being worked off in slices: it first collects what matches, then, unless
 * that is too much or only a count was wanted, changes one item after the other.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class BulkAction<K> {
  private static final int SLICE = 500;
  private static final int SAMPLES = 10;
  private static final int MAX_NAMESPACES = 20;

  private final BulkRequest request;
  private final WorkQueue<K> queue;
  private final QueueReader<K> reader;
  private final Controller<K> controller;
  private final Executor loop;
  private final Runnable pump;
  private final Promise<BulkResult> done;

  private final long asOfSeq;
  private final QueueReader<K>.Walk walk;
  private int next;
  private int changed;
  private int relisted;
  private int notRelisted;
  private final Map<String, Integer> skipped = new HashMap<>();

  BulkAction(
      BulkRequest request,
      WorkQueue<K> queue,
      QueueReader<K> reader,
      Controller<K> controller,
      Executor loop,
      Runnable pump,
      Promise<BulkResult> done) {
    this.request = request;
    this.queue = queue;
    this.reader = reader;
    this.controller = controller;
    this.loop = loop;
    this.pump = pump;
    this.done = done;
    this.asOfSeq = Math.min(request.filter().maxSeq(), reader.lastSeq());
    // What arrives while the walk is under way is younger than what the caller could have meant.
    ItemFilter filter = request.filter().upTo(asOfSeq);
    this.walk = reader.walk(filter, null, BulkRequest.MAX_AFFECTED + 1);
  }

  void collect() {
    if (walk.step()) {
      loop.execute(this::collect);
      return;
    }
    boolean tooMany = walk.items().size() > request.maxAffected();
    if (request.dryRun() || tooMany) {
      preview(tooMany && !request.dryRun());
    } else {
      change();
    }
  }

  private void preview(boolean aborted) {
    for (Item<K> item : walk.items()) {
      if (request.action() == BulkRequest.Action.FLUSH
          && request.then() != Then.NONE
          && item.phase() != Phase.IN_FLIGHT) {
        countRelist(item.key());
      }
    }
    finish(aborted);
  }

  private void countRelist(K key) {
    if (request.then() == Then.REQUEUE_AFTER || controller.sourceThatKnows(key) != null) {
      relisted++;
    } else {
      notRelisted++;
    }
  }

  private void change() {
    List<Item<K>> items = walk.items();
    int end = Math.min(items.size(), next + SLICE);
    for (; next < end; next++) {
      Item<K> item = items.get(next);
      if (queue.find(item.key()) != item || !reader.matches(item, request.filter())) {
        skip("changed meanwhile");
      } else {
        apply(item);
      }
    }
    if (next < items.size()) {
      loop.execute(this::change);
      return;
    }
    pump.run();
    finish(false);
  }

  private void apply(Item<K> item) {
    switch (request.action()) {
      case RETRY -> {
        long spread = spread();
        boolean moved =
            (spread == 0 || item.phase() != Phase.DELAYED)
                ? queue.actions().promote(item)
                : queue.actions().reschedule(item, spread);
        count(moved, "due already");
      }
      case FORGET -> count(queue.actions().forget(item, false), "has not failed");
      case REQUEUE ->
          count(queue.actions().reschedule(item, request.delay().toNanos() + spread()), "");
      case FLUSH -> flush(item);
    }
  }

  private void flush(Item<K> item) {
    if (item.phase() == Phase.IN_FLIGHT) {
      count(request.dropDirty() && queue.actions().dropDirty(item), "in flight");
      return;
    }
    int failures = item.failures();
    K key = item.key();
    queue.actions().drop(item);
    changed++;
    if (request.then() == Then.NONE) {
      return;
    }
    countRelist(key);
    boolean again = request.then() == Then.REQUEUE_AFTER || controller.sourceThatKnows(key) != null;
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

  private void count(boolean applied, String otherwise) {
    if (applied) {
      changed++;
    } else {
      skip(otherwise);
    }
  }

  private void skip(String reason) {
    skipped.merge(reason, 1, Integer::sum);
  }

  private void finish(boolean aborted) {
    Map<Phase, Integer> byPhase = new EnumMap<>(Phase.class);
    Map<String, Integer> byNamespace = new HashMap<>();
    List<String> sample = new ArrayList<>();
    for (Item<K> item : walk.items()) {
      byPhase.merge(item.phase(), 1, Integer::sum);
      byNamespace.merge(reader.namespaceOf(item.key()), 1, Integer::sum);
      if (sample.size() < SAMPLES) {
        sample.add(reader.nameOf(item.key()));
      }
    }
    Map<String, Integer> largest = new LinkedHashMap<>();
    byNamespace.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(MAX_NAMESPACES)
        .forEach(entry -> largest.put(entry.getKey(), entry.getValue()));
    done.complete(
        new BulkResult(
            request.dryRun(),
            aborted,
            walk.items().size(),
            changed,
            skipped,
            relisted,
            notRelisted,
            byPhase,
            largest,
            sample,
            asOfSeq));
  }
}
