// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.internal.history.HistoryEntry;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.queue.FailureMemory;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Phase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * One {@link BulkRequest}, processed in slices: it first collects the matching items, then, unless
 * they are too many or only counted, changes them one by one at no more than the requested rate.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class BulkAction<K> {
  private static final int SLICE = 500;

  /** No turn of the event loop goes on for longer than this. */
  private static final long MAX_TURN_NANOS = 500_000;

  private static final int CLOCK_EVERY = 16;

  /** The shortest wait: a slower rate is kept by longer waits, a faster one by larger slices. */
  private static final long MIN_WAIT_NANOS = 20_000_000;

  private final BulkRequest request;
  private final HistoryEntry.Removal removal;
  private final WorkQueue<K> queue;
  private final Predicate<K> exists;
  private final ReconcileLoop<K> loop;
  private final Clock clock;
  private final Executor yielding;
  private final Alarm alarm;
  private final BulkTicket ticket;
  private final Runnable onEnd;

  private final BulkTally<K> tally;
  private final QueueReader<K>.Walk walk;

  /** Items older than this action to which an event was added after it began, matched or not. */
  private final Set<Item<K>> addedAgain = new HashSet<>();

  private final Runnable endOfReports;
  private boolean over;
  private int previewed;
  private int next;
  private long changesBegan;

  /**
   * Prepares an action.
   *
   * @param removal what flushed requests are recorded with
   * @param exists whether the object of a request still exists; calls user code
   * @param onEnd runs at the end
   */
  BulkAction(
      BulkRequest request,
      HistoryEntry.Removal removal,
      WorkQueue<K> queue,
      QueueReader<K> reader,
      Predicate<K> exists,
      ReconcileLoop<K> loop,
      Clock clock,
      EngineThreads threads,
      BulkTicket ticket,
      Runnable onEnd) {
    this.request = request;
    this.removal = removal;
    this.queue = queue;
    this.exists = exists;
    this.loop = loop;
    this.clock = clock;
    this.yielding = threads.yielding();
    this.alarm = threads.alarms().create(() -> guarded(this::change));
    this.ticket = ticket;
    this.onEnd = onEnd;
    // Items that are added during the walk are younger than any the caller could have meant.
    long asOfSeq = Math.min(request.filter().maxSeq(), reader.lastSeq());
    this.tally = new BulkTally<>(reader, asOfSeq);
    this.walk =
        reader.walk(request.filter().withMaxSeq(asOfSeq), null, BulkRequest.MAX_AFFECTED + 1);
    this.endOfReports =
        movesEvents() && !request.dryRun()
            ? queue
                .actions()
                .onMerge(item -> {
                  if (reader.seqOf(item) <= asOfSeq) { // bounds their number
                    addedAgain.add(item);
                  }
                })
            : () -> {};
  }

  void begin() {
    guarded(this::collect);
  }

  /** Whether the action removes or delays events that have been added to an item. */
  private boolean movesEvents() {
    return switch (request.action()) {
      case FLUSH, REQUEUE -> true;
      case RETRY, FORGET -> false;
    };
  }

  private void closed() {
    over = true;
    alarm.clear();
    endOfReports.run();
    addedAgain.clear();
    onEnd.run();
  }

  boolean dryRun() {
    return request.dryRun();
  }

  /** Ends the action; the result counts what was done. */
  void end(Ending ending) {
    if (!over) {
      closed();
      ticket.end(tally.result(request.dryRun(), ending));
    }
  }

  /** Runs a slice; an unexpected failure also completes the result. */
  private void guarded(Runnable slice) {
    loop.occupant().run(() -> contained(slice)); // calls sources and reconcilers
  }

  private void contained(Runnable slice) {
    if (over) {
      return; // a slice that was scheduled before the end
    }
    try {
      if (ticket.stopped()) {
        end(Ending.STOPPED);
      } else {
        slice.run();
      }
    } catch (Throwable e) {
      closed();
      ticket.fail(e);
    } finally {
      if (!over) {
        ticket.publish(tally.progress());
      }
      loop.pump();
    }
  }

  private void later(Runnable slice) {
    yielding.execute(() -> guarded(slice));
  }

  /** Whether a slice that has done so many items since a time should give way. */
  private boolean turnIsOver(int items, long since) {
    return items >= SLICE || (items % CLOCK_EVERY == 0 && clock.nanos() - since > MAX_TURN_NANOS);
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
      changesBegan = clock.nanos();
      change();
    } else if (request.action() == BulkRequest.Action.FLUSH && request.then() != Then.NONE) {
      preview();
    } else {
      countingEnds();
    }
  }

  private void preview() {
    List<Item<K>> items = walk.items();
    long began = clock.nanos();
    for (int done = 1; previewed < items.size(); done++) {
      Item<K> item = items.get(previewed++);
      if (item.phase() != Phase.IN_FLIGHT) {
        try {
          tally.relisted(comesBack(item.key()));
        } catch (Throwable e) { // the source is user code
          tally.failed(e);
        }
      }
      if (turnIsOver(done, began)) {
        break;
      }
    }
    if (previewed < items.size()) {
      later(this::preview);
    } else {
      countingEnds();
    }
  }

  private void countingEnds() {
    end(request.dryRun() ? Ending.COMPLETE : Ending.TOO_MANY);
  }

  private boolean comesBack(K key) {
    return request.then() == Then.REQUEUE_AFTER || exists.test(key);
  }

  private void change() {
    List<Item<K>> items = walk.items();
    long began = clock.nanos();
    int allowed = allowed(began, items.size());
    for (int done = 1; next < allowed && !over; done++) {
      changeNext(items.get(next));
      next++;
      if (turnIsOver(done, began)) {
        break;
      }
    }
    if (over) {
      return; // a call has stopped the controller
    }
    if (next == items.size()) {
      end(Ending.COMPLETE);
    } else if (next < allowed) {
      later(this::change);
    } else {
      alarm.set(nextTurn(began));
    }
  }

  /** Returns how many items may have been changed by a time: one at the start. */
  private int allowed(long now, int all) {
    int rate = request.itemsPerSecond();
    double byNow = rate == 0 ? all : 1 + (now - changesBegan) / 1e9 * rate;
    return (int) Math.min(all, byNow);
  }

  private long nextTurn(long now) {
    long place = (long) Math.ceil(next * 1e9 / request.itemsPerSecond());
    return now + Math.max(changesBegan + place - now, MIN_WAIT_NANOS);
  }

  private void changeNext(Item<K> item) {
    try {
      if (!loop.owns(item.key())) {
        // Still here while its slot is handed over, as it was; a change would not go with it.
        tally.skipped(BulkProgress.MOVED);
      } else if (queue.find(item.key()) != item || !walk.matches(item)) {
        tally.skipped("changed meanwhile");
      } else if (addedAgain.contains(item)) {
        tally.skipped("added again meanwhile");
      } else {
        apply(item);
      }
    } catch (Throwable e) {
      tally.failed(e); // the other items are still changed
    }
  }

  private void apply(Item<K> item) {
    switch (request.action()) {
      case RETRY -> tally.changed(queue.actions().promoteWithin(item, spread()), "due already");
      case FORGET -> tally.changed(queue.actions().forget(item, false), "has not failed");
      case REQUEUE -> {
        queue.actions().reschedule(item, Durations.toNanos(request.delay()) + spread());
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
    // Before anything is changed, so that a source that throws costs no item.
    boolean again = request.then() != Then.NONE && comesBack(key);
    FailureMemory failures = FailureMemory.of(item);
    queue.actions().drop(item);
    if (!again) {
      loop.removed(key, removal);
    }
    tally.changed(true, "");
    if (request.then() != Then.NONE) {
      tally.relisted(again);
    }
    if (again) {
      long delay = request.then() == Then.REQUEUE_AFTER ? Durations.toNanos(request.delay()) : 0;
      queue.addAfter(key, delay + spread(), EventSink.PRIORITY_LOW, Trigger.OPERATOR);
      Item<K> fresh = queue.find(key);
      if (request.keepFailures() && fresh != null) {
        queue.actions().restoreFailures(fresh, failures);
      }
    }
  }

  /**
   * Spreads the items evenly over the requested time, in the order in which they are processed; the
   * time counts from the first change, so that a slow rate does not lengthen it twice.
   */
  private long spread() {
    long over = Durations.toNanos(request.spreadOver());
    if (over == 0) {
      return 0;
    }
    long place = (long) ((double) over * next / walk.items().size());
    return Math.max(0, place - (clock.nanos() - changesBegan));
  }
}
