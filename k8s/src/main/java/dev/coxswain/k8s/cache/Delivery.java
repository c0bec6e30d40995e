// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
  private final Promise<Void> synced = Promise.promise();
  private final Promise<Void> ended = Promise.promise();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final Map<Object, Pending> pending = new LinkedHashMap<>();
  private boolean closed;

  private static final class Pending {
    final @Nullable Entry told;
    @Nullable Entry latest;
    @Nullable Entry lastKnown;
    Trigger trigger;

    Pending(@Nullable Entry told, @Nullable Entry latest, Trigger trigger) {
      this.told = told;
      this.latest = latest;
      this.lastKnown = latest == null ? told : latest;
      this.trigger = trigger;
    }
  }

  Delivery(String name, Class<T> type, ObjectListener<T> listener) {
    this.name = name;
    this.type = type;
    this.listener = listener;
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
      known.lastKnown = last;
      change.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Marks the end of what was there at the start. */
  void markSynced() {
    lock.lock();
    try {
      if (!closed) {
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
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run() {
    try {
      while (true) {
        while (!isClosed() && !ready()) {
          Thread.sleep(NOT_READY_PAUSE);
        }
        List<ObjectEvent<T>> events = take();
        if (events == null) {
          return;
        }
        for (ObjectEvent<T> event : events) {
          deliver(event);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synced.tryFail("the subscription was closed");
      ended.tryComplete();
    }
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

  /** Waits for the next change; null when closed. Completes {@link #synced} in passing. */
  private @Nullable List<ObjectEvent<T>> take() throws InterruptedException {
    boolean marker = false;
    List<ObjectEvent<T>> events = new ArrayList<>(2);
    lock.lockInterruptibly();
    try {
      while (pending.isEmpty() && !closed) {
        change.await(1, TimeUnit.HOURS);
      }
      if (closed) {
        return null;
      }
      Iterator<Map.Entry<Object, Pending>> first = pending.entrySet().iterator();
      Map.Entry<Object, Pending> next = first.next();
      first.remove();
      if (next.getKey() instanceof Request key) {
        toEvents(key, next.getValue(), events);
      } else {
        marker = true;
      }
    } finally {
      lock.unlock();
    }
    if (marker) {
      synced.tryComplete();
    }
    return events;
  }

  private void toEvents(Request key, Pending change, List<ObjectEvent<T>> events) {
    Entry told = change.told;
    Entry latest = change.latest;
    if (told == null && latest != null) {
      events.add(event(ObjectEvent.Kind.ADDED, key, null, latest, change.trigger));
    } else if (told != null && latest == null) {
      Entry last = change.lastKnown == null ? told : change.lastKnown;
      events.add(event(ObjectEvent.Kind.DELETED, key, null, last, change.trigger));
    } else if (told != null && latest != null && told.uid().equals(latest.uid())) {
      events.add(event(ObjectEvent.Kind.UPDATED, key, told, latest, change.trigger));
    } else if (told != null && latest != null) {
      events.add(event(ObjectEvent.Kind.DELETED, key, null, told, change.trigger));
      events.add(event(ObjectEvent.Kind.ADDED, key, null, latest, change.trigger));
    }
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
