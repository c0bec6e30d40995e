// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * there are objects, no matter how often they change. An object that comes and goes before the
 * listener has heard of it is not mentioned; one that is replaced by another of the same name is
 * told as gone and come.
 *
 * <h2>Synced</h2>
 *
 * A marker in the same line, behind everything that was there at the start.
 */
final class Delivery<T extends KubernetesObject> implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Delivery.class);
  private static final Object SYNC_MARKER = new Object();
  private static final Duration NOT_READY_PAUSE = Duration.ofMillis(2);

  private final String name;
  private final Class<T> type;
  private final ObjectListener<T> listener;
  private final Duration notReadyPause;
  private final Promise<Void> synced = Promise.promise();
  private final Promise<Void> ended = Promise.promise();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final Condition closing = lock.newCondition();
  private final SequencedMap<Object, Pending> pending = new LinkedHashMap<>();
  private int unsyncedCaches;
  private boolean closed;

  private static final class Pending {
    final @Nullable Entry told;
    @Nullable Entry latest;

    /** The newest state of the incarnation that was told; what a delete is told with. */
    @Nullable Entry lastOfTold;

    Trigger trigger;

    Pending(@Nullable Entry told, @Nullable Entry latest, Trigger trigger) {
      this.told = told;
      this.latest = latest;
      this.lastOfTold = told;
      this.trigger = trigger;
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

  /** Creates a delivery that asks a listener that is not ready again after {@code pause}. */
  Delivery(String name, Class<T> type, ObjectListener<T> listener, int caches, Duration pause) {
    this.notReadyPause = pause;
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
        known = new Pending(before, now, trigger);
        pending.put(key, known);
      } else if (trigger == Trigger.EVENT) {
        // What really happened outranks a mere look at things.
        known.trigger = Trigger.EVENT;
      }
      known.latest = now;
      Entry told = known.told;
      if (told != null && told.uid().equals(last.uid())) {
        known.lastOfTold = last;
      }
      if (told == null && now == null) {
        // Came and went unheard. Kept, such entries would pile up without a bound.
        pending.remove(key);
      }
      change.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Marks the end of what was there at the start in one cache. */
  void markSynced() {
    lock.lock();
    try {
      unsyncedCaches--;
      if (!closed && unsyncedCaches == 0) {
        pending.put(SYNC_MARKER, new Pending(null, null, Trigger.INITIAL_LIST));
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

  @Override
  public void run() {
    try {
      while (awaitChange()) {
        while (!ready() && !awaitClose(notReadyPause)) {
          // Nobody tells when a listener can take more: it is asked again.
        }
        deliverNext();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synced.tryFail("the subscription was closed");
      ended.tryComplete();
    }
  }

  /** Waits until there is something to tell; false when closed. */
  private boolean awaitChange() throws InterruptedException {
    lock.lockInterruptibly();
    try {
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
    } finally {
      lock.unlock();
    }
    if (next.getKey() instanceof Request key) {
      toEvents(key, next.getValue()).forEach(this::deliver);
    } else {
      synced.tryComplete();
    }
    return true;
  }

  private boolean ready() {
    try {
      return listener.isReady();
    } catch (RuntimeException e) {
      log.atError().addKeyValue("source", name).setCause(e).log("listener failed to say if ready");
      return true;
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
    Entry told = change.told;
    Entry latest = change.latest;
    Entry last = change.lastOfTold;
    if (told == null && latest != null) {
      events.add(event(ObjectEvent.Kind.ADDED, key, null, latest, change.trigger));
    } else if (last != null && latest == null) {
      events.add(event(ObjectEvent.Kind.DELETED, key, null, last, change.trigger));
    } else if (told != null && latest != null && told.uid().equals(latest.uid())) {
      events.add(event(ObjectEvent.Kind.UPDATED, key, told, latest, change.trigger));
    } else if (last != null && latest != null) {
      events.add(event(ObjectEvent.Kind.DELETED, key, null, last, change.trigger));
      events.add(event(ObjectEvent.Kind.ADDED, key, null, latest, change.trigger));
    }
    return events;
  }

  private ObjectEvent<T> event(
      ObjectEvent.Kind kind, Request key, @Nullable Entry before, Entry now, Trigger trigger) {
    return new ObjectEvent<>(kind, key, before, now, trigger, type);
  }

  private void deliver(ObjectEvent<T> event) {
    try {
      listener.onEvent(event);
    } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
      log.atError()
          .addKeyValue("source", name)
          .addKeyValue("key", event.key())
          .setCause(e)
          .log("listener failed, the event is skipped");
    }
  }
}
