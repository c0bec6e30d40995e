// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.internal.loop.RecentEndings;
import dev.coxswain.internal.loop.ReconcileLoop;
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
 * One {@link BulkRequest} being worked off in slices: it first collects what matches, then, unless
 * that is too much or only a count was wanted, changes one item after the other, no faster than the
 * request says.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class BulkAction<K> {
  private static final int SLICE = 500;

  /** No turn of the event loop goes on for longer than this. */
  private static final long MAX_TURN_NANOS = 500_000;

  private static final int CLOCK_EVERY = 16;

  /** A slower rate than this per second is kept by longer waits, a faster one by larger slices. */
  private static final long MIN_WAIT_NANOS = 20_000_000;

  private final BulkRequest request;
  private final String by;
  private final WorkQueue<K> queue;
  private final Predicate<K> known;
  private final ReconcileLoop<K> loop;
  private final Clock clock;
  private final Executor yielding;
  private final Alarm alarm;
  private final BulkTicket ticket;
  private final Runnable onEnd;

  private final BulkTally<K> tally;
  private final QueueReader<K>.Walk walk;

  /** Matched or not: items older than this action to which an event was added after it began. */
  private final Set<Item<K>> addedAgain = new HashSet<>();

  private final Runnable endOfReports;
  private boolean over;
  private int previewed;
  private int next;
  private long changesBegan;

  /**
   * Prepares an action.
   *
   * @param by who ordered it
   * @param known whether the object of a request still exists; partly the user's code
   * @param onEnd what to run when it is over
   */
  BulkAction(
      BulkRequest request,
      String by,
      WorkQueue<K> queue,
      QueueReader<K> reader,
      Predicate<K> known,
      ReconcileLoop<K> loop,
      Clock clock,
      EngineThreads threads,
      BulkTicket ticket,
      Runnable onEnd) {
    this.request = request;
    this.by = by;
    this.queue = queue;
    this.known = known;
    this.loop = loop;
    this.clock = clock;
    this.yielding = threads.yielding();
    this.alarm = threads.alarms().create(() -> guarded(this::change));
    this.ticket = ticket;
    this.onEnd = onEnd;
    // What arrives while the walk is under way is younger than what the caller could have meant.
    long asOfSeq = Math.min(request.filter().maxSeq(), reader.lastSeq());
    this.tally = new BulkTally<>(reader, asOfSeq);
    this.walk =
        reader.walk(request.filter().withMaxSeq(asOfSeq), null, BulkRequest.MAX_AFFECTED + 1);
    this.endOfReports =
        movesEvents() && !request.dryRun()
            ? queue
                .actions()
                .onMerge(item -> {
                  if (reader.seqOf(item) <= asOfSeq) { // so there are only so many
                    addedAgain.add(item);
                  }
                })
            : () -> {};
  }

  void begin() {
    guarded(this::collect);
  }

  /** Whether the action takes away, or puts off, events that have been added to an item. */
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

  /** Ends it where it is; what was done is told. */
  void end(Ending ending) {
    if (!over) {
      closed();
      ticket.end(tally.result(request.dryRun(), ending));
    }
  }

  /** Every slice is guarded: whoever asked must be told also of what should not happen. */
  private void guarded(Runnable slice) {
    loop.occupant().run(() -> contained(slice)); // sources and reconcilers are called from here
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
    return request.then() == Then.REQUEUE_AFTER || known.test(key);
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
      return; // what it called has stopped the controller
    }
    if (next == items.size()) {
      end(Ending.COMPLETE);
    } else if (next < allowed) {
      later(this::change);
    } else {
      alarm.set(nextTurn(began));
    }
  }

  /** Returns how many items may have been changed by a time: the first at once. */
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
      if (queue.find(item.key()) != item || !walk.matches(item)) {
        tally.skipped("changed meanwhile");
      } else if (addedAgain.contains(item)) {
        tally.skipped("added again meanwhile");
      } else {
        apply(item);
      }
    } catch (Throwable e) {
      tally.failed(e); // one item that cannot be changed must not keep the others
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
    // Asked before anything is changed: a source that throws must not cost an item.
    boolean again = request.then() != Then.NONE && comesBack(key);
    int failures = item.failures();
    queue.actions().drop(item);
    if (!again) {
      loop.endings().removed(key, clock.nanos(), new RecentEndings.Removal(true, by));
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
   * Spreads the items evenly over the asked-for time, in the order in which they are worked off;
   * the time counts from the first change, so that a slow rate does not lengthen it twice.
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
