// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells one listener of changes, at the listener's own pace.
 *
 * <p>Thread rule: {@link #offer}, {@link #markSynced} and {@link #close} are called under the
 * cache's lock; the listener is called on this delivery's virtual thread.
 *
 * <h2>Merging</h2>
 *
 * There is at most one pending change per object: the state that the listener was told last, and
 * the latest one. A slow listener therefore holds up nobody and costs memory for as many changes as
 * there are objects, no matter how often they change. One that is replaced by another of the same
 * name is told as gone and come.
 *
 * <h2>What comes and goes unheard</h2>
 *
 * is told as come and gone, with its last state: whoever has made it may have to make it again, and
 * nothing else would remind them. There is no object any more that bounds how many of these wait,
 * so {@link #MOST_UNHEARD} do, and of more a warning tells.
 *
 * <h2>Synced</h2>
 *
 * A marker in the same line, behind everything that was there at the start.
 *
 * <h2>The thread</h2>
 *
 * ends with {@link #close} and with nothing else. It is interrupted by code of users only, so an
 * interrupt means nothing. What the listener throws costs that one event; a fault of this class
 * costs a pause, which grows while faults follow each other, and is a {@link #problem} meanwhile.
 */
final class Delivery<T extends KubernetesObject> implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Delivery.class);
  private static final Object SYNC_MARKER = new Object();
  private static final Duration NOT_READY_PAUSE = Duration.ofMillis(2);

  /** How many objects that have come and gone may wait to be told. */
  static final int MOST_UNHEARD = 4_096;

  /** A listener that works on one event for longer than this is a problem. */
  static final Duration LONG_CALL = Duration.ofSeconds(30);

  /** One that has worked on it for longer than this is taken for one that never returns. */
  static final Duration ENDLESS_CALL = Duration.ofMinutes(5);

  private static final Duration FIRST_FAULT_PAUSE = Duration.ofMillis(10);
  private static final int MOST_DOUBLINGS = 11; // about 20 s

  private final String name;
  private final Class<T> type;
  private final ObjectListener<T> listener;
  private final Duration notReadyPause;
  private final Clock clock;
  private final UserCode userCode;
  private final Promise<Void> synced = Promise.promise();
  private final Promise<Void> ended = Promise.promise();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final Condition closing = lock.newCondition();
  private final SequencedMap<Object, Pending> pending = new LinkedHashMap<>();
  private int unsyncedCaches;
  private int unheard;
  private long untold;
  private boolean closed;

  // Written by the delivery's thread, read for the status.
  private volatile @Nullable Call call;
  private volatile String fault = "";

  /** Confined to the delivery's thread. */
  private int faultsInARow;

  /** A call of the listener that has not returned. */
  private record Call(Request key, long since) {}

  private static final class Pending {
    final @Nullable Entry told;
    @Nullable Entry latest;

    /** The newest state of the incarnation that was told; what a delete is told with. */
    @Nullable Entry lastOfTold;

    /** The last state of the newest incarnation that is gone and was never told, if any. */
    @Nullable Entry unheard;

    Trigger trigger;

    Pending(@Nullable Entry told, Trigger trigger) {
      this.told = told;
      this.latest = told;
      this.lastOfTold = told;
      this.trigger = trigger;
    }

    /** Notes another state, or the end. */
    void change(@Nullable Entry now, Entry last) {
      Entry before = latest;
      if (isTold(last)) {
        lastOfTold = last;
      } else if (before != null && !isTold(before) && !isSame(before, now)) {
        unheard = isSame(before, last) ? last : before;
      }
      latest = now;
    }

    /** Returns whether all there is to tell is what came and went. */
    boolean isOver() {
      return told == null && latest == null && unheard != null;
    }

    private boolean isTold(Entry entry) {
      return isSame(entry, told);
    }

    private static boolean isSame(Entry one, @Nullable Entry other) {
      return other != null && one.uid().equals(other.uid());
    }
  }

  /**
   * Creates a delivery.
   *
   * @param name who listens, for logs
   * @param caches how many caches it will be attached to
   */
  Delivery(String name, Class<T> type, ObjectListener<T> listener, int caches) {
    this(name, type, listener, caches, NOT_READY_PAUSE);
  }

  /** Creates a delivery with the time that long calls are measured on. */
  Delivery(String name, Class<T> type, ObjectListener<T> listener, int caches, Clock clock) {
    this(name, type, listener, caches, NOT_READY_PAUSE, clock);
  }

  /** Creates a delivery that asks a listener that is not ready again after {@code pause}. */
  Delivery(String name, Class<T> type, ObjectListener<T> listener, int caches, Duration pause) {
    this(name, type, listener, caches, pause, Clock.system());
  }

  private Delivery(
      String name,
      Class<T> type,
      ObjectListener<T> listener,
      int caches,
      Duration pause,
      Clock clock) {
    this.notReadyPause = pause;
    this.clock = clock;
    this.userCode = new UserCode("source", name);
    this.name = name;
    this.type = type;
    this.listener = listener;
    this.unsyncedCaches = caches;
  }

  Future<Void> synced() {
    return synced.future();
  }

  Future<Void> ended() {
    return ended.future();
  }

  int backlog() {
    lock.lock();
    try {
      return pending.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes a change.
   *
   * @param before what the cache held, or null
   * @param now what it holds now, or null when the object is gone
   * @param last the last known state of an object that is gone; otherwise {@code now}
   */
  void offer(
      Request key, @Nullable Entry before, @Nullable Entry now, Entry last, Trigger trigger) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      Pending known = pending.get(key);
      if (known == null) {
        known = new Pending(before, trigger);
        pending.put(key, known);
      } else if (trigger == Trigger.EVENT) {
        // What really happened outranks a mere look at things.
        known.trigger = Trigger.EVENT;
      }
      boolean wasOver = known.isOver();
      known.change(now, last);
      count(key, wasOver, known.isOver());
      change.signal();
    } finally {
      lock.unlock();
    }
  }

  private void count(Request key, boolean wasOver, boolean isOver) {
    if (wasOver && !isOver) {
      unheard--;
    } else if (isOver && !wasOver && unheard < MOST_UNHEARD) {
      unheard++;
    } else if (isOver && !wasOver) {
      pending.remove(key);
      untold++;
      // The 1st, 2nd, 4th, 8th ... time: there may be thousands.
      if (Long.bitCount(untold) == 1) {
        log.atWarn()
            .addKeyValue("source", name)
            .addKeyValue("key", key)
            .addKeyValue("count", untold)
            .log("listener is far behind, objects that have come and gone are not told");
      }
    }
  }

  /** Marks the end of what was there at the start in one cache. */
  void markSynced() {
    lock.lock();
    try {
      unsyncedCaches--;
      if (!closed && unsyncedCaches == 0) {
        pending.put(SYNC_MARKER, new Pending(null, Trigger.INITIAL_LIST));
        change.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      pending.clear();
      change.signal();
      closing.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Returns what keeps the listener from receiving events, for people. */
  Optional<String> problem() {
    Call now = call;
    if (now != null && clock.nanos() - now.since >= LONG_CALL.toNanos()) {
      long seconds = Duration.ofNanos(clock.nanos() - now.since).toSeconds();
      return Optional.of(
          "a handler or predicate has not returned for "
              + seconds
              + " s, at "
              + now.key
              + "; no event is delivered meanwhile");
    }
    if (!fault.isEmpty()) {
      return Optional.of("events could not be delivered: " + fault + "; it keeps trying");
    }
    return ended.future().isComplete() && !isClosed()
        ? Optional.of("events are not delivered any more")
        : Optional.empty();
  }

  /** Returns the problem when it does not pass by itself. */
  Optional<String> failure() {
    Call now = call;
    boolean passes = now != null && clock.nanos() - now.since < ENDLESS_CALL.toNanos();
    return passes ? Optional.empty() : problem();
  }

  @Override
  public void run() {
    run(List.of());
  }

  /** Attaches this to the caches and delivers until it is closed. */
  void run(List<SharedCache<T>> caches) {
    Queue<SharedCache<T>> unattached = new ArrayDeque<>(caches);
    try {
      while (!isClosed()) {
        supervisedStep(unattached);
      }
    } finally {
      // What waits for these futures runs here, and is code of users as well.
      contain(() -> synced.tryFail("the subscription was closed"));
      contain(ended::tryComplete);
    }
  }

  private void supervisedStep(Queue<SharedCache<T>> unattached) {
    try {
      // The snapshot may be large: it is taken on this thread, not on that of the subscriber.
      for (var next = unattached.peek(); next != null; next = unattached.peek()) {
        next.attach(this);
        unattached.remove();
      }
      step();
      faultsInARow = 0;
      fault = "";
    } catch (InterruptedException e) {
      // See above: close() is what ends this.
      userCode.clearInterrupt("listener", null);
    } catch (Throwable e) {
      fault = UserCode.text(e);
      userCode.failed("delivery failed, going on after a pause", null, e);
      pauseAfterFault();
    }
  }

  private void step() throws InterruptedException {
    if (awaitChange()) {
      while (!ready() && !awaitClose(notReadyPause)) {
        // Nobody tells when a listener can take more: it is asked again.
      }
      deliverNext();
    }
  }

  private void pauseAfterFault() {
    Duration pause = FIRST_FAULT_PAUSE.multipliedBy(1L << Math.min(faultsInARow, MOST_DOUBLINGS));
    faultsInARow++;
    try {
      awaitClose(pause);
    } catch (InterruptedException e) {
      userCode.clearInterrupt("listener", null);
    }
  }

  private void contain(Runnable completion) {
    try {
      completion.run();
    } catch (Throwable e) {
      userCode.failed("what waited for the source failed", null, e);
    }
    userCode.clearInterrupt("future", null);
  }

  /** Waits until there is something to tell; false when closed. */
  private boolean awaitChange() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (pending.isEmpty()) {
        fault = ""; // nothing is left that could not be delivered
      }
      while (pending.isEmpty() && !closed) {
        change.await();
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for the end of this delivery, which other changes do not hurry; false when time is up.
   */
  private boolean awaitClose(Duration limit) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = limit.toNanos();
      while (!closed && left > 0) {
        left = closing.awaitNanos(left);
      }
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Tells the listener of the next object, or completes {@link #synced}; false for nothing. */
  boolean deliverNext() {
    Map.Entry<Object, Pending> next;
    lock.lock();
    try {
      if (pending.isEmpty()) {
        return false;
      }
      next = pending.pollFirstEntry();
      if (next.getValue().isOver()) {
        unheard--;
      }
    } finally {
      lock.unlock();
    }
    if (next.getKey() instanceof Request key) {
      toEvents(key, next.getValue()).forEach(this::deliver);
    } else {
      contain(synced::tryComplete);
    }
    return true;
  }

  private boolean ready() {
    try {
      return listener.isReady();
    } catch (Throwable e) {
      userCode.failed("listener failed to say if it is ready, it is taken for ready", null, e);
      return true;
    } finally {
      userCode.clearInterrupt("isReady", null);
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  private List<ObjectEvent<T>> toEvents(Request key, Pending change) {
    List<ObjectEvent<T>> events = new ArrayList<>(2);
    Trigger trigger = change.trigger;
    Entry told = change.told;
    Entry latest = change.latest;
    Entry last = change.lastOfTold;
    Entry unheard = change.unheard;
    boolean same = told != null && latest != null && told.uid().equals(latest.uid());
    if (last != null && !same) {
      events.add(event(ObjectEvent.Kind.DELETED, key, null, last, trigger));
    }
    if (unheard != null) {
      events.add(event(ObjectEvent.Kind.ADDED, key, null, unheard, trigger));
      events.add(event(ObjectEvent.Kind.DELETED, key, null, unheard, trigger));
    }
    if (latest != null) {
      events.add(
          same
              ? event(ObjectEvent.Kind.UPDATED, key, told, latest, trigger)
              : event(ObjectEvent.Kind.ADDED, key, null, latest, trigger));
    }
    return events;
  }

  private ObjectEvent<T> event(
      ObjectEvent.Kind kind, Request key, @Nullable Entry before, Entry now, Trigger trigger) {
    return new ObjectEvent<>(kind, key, before, now, trigger, type);
  }

  private void deliver(ObjectEvent<T> event) {
    call = new Call(event.key(), clock.nanos());
    try {
      listener.onEvent(event);
    } catch (Throwable e) {
      userCode.failed("listener failed, the event is skipped", event.key(), e);
    } finally {
      call = null;
      userCode.clearInterrupt("onEvent", event.key());
    }
  }
}
