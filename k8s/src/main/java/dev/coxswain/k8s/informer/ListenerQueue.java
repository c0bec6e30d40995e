// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.informer.PendingChanges.PendingChange;
import dev.coxswain.k8s.internal.RunningCall;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pending changes of one listener, delivered at the listener's own pace.
 *
 * <p>Thread rule: {@link #offer}, {@link #markSynced} and {@link #close} are called under the
 * informer's lock. Other methods are called on the thread of the {@link DeliverySupervisor}, or on
 * any thread where noted.
 *
 * <h2>Merging</h2>
 *
 * There is at most one pending change per object: the state that was delivered last, and the latest
 * one. So a slow listener blocks no other and costs memory for at most one change per object. An
 * object that is replaced by another of the same name is delivered as deleted and added.
 *
 * <h2>Objects that come and go between two deliveries</h2>
 *
 * They are delivered as added and deleted, with their last state: a controller that created the
 * object may have to create it again, and no other event would trigger that. At most {@link
 * #MAX_MISSED} of them are pending; further ones are dropped with a warning.
 *
 * <h2>Failures</h2>
 *
 * After a failed index, or a lack of memory, the change is set aside, merged with later ones, and
 * delivered again after a growing pause. {@link #problem} reports it. Other changes do not wait.
 *
 * <p>Any other exception of the listener costs that one event. After a fault of this class the
 * current change continues behind its last accepted event; see {@link DeliverySupervisor}.
 */
final class ListenerQueue<T extends KubernetesObject> {
  /** The most pending changes of objects that do not exist any more. */
  static final int MAX_MISSED = 4_096;

  private final Class<T> type;
  private final ObjectListener<T> listener;
  private final Clock clock;
  private final UserCode userCode;

  /** Completed by a marker in the queue, behind all objects of the initial list. */
  private final Promise<Void> synced = Promise.promise();

  private final Promise<Void> ended = Promise.promise();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final Condition closing = lock.newCondition();
  private final PendingChanges pending;
  private int unsyncedCaches;
  private boolean closed;
  private boolean delivering;

  /** The number of changes that wait because their delivery failed, and the first of their failures. */
  private volatile int kept;

  private volatile String keptFor = "";

  /** Written by the queue's thread, read for the status. */
  private final RunningCall call;

  private volatile String fault = "";

  // Confined to the queue's thread.
  private int retriesInARow;
  private long retryAt;

  /** Taken from the queue and not yet delivered; after a fault it is still here. */
  private Map.@Nullable Entry<Object, PendingChange> inHand;

  /**
   * Creates a queue.
   *
   * @param name the name of the listener, for logs
   * @param caches how many informers it will be attached to
   * @param clock measures long calls and pauses
   */
  ListenerQueue(String name, Class<T> type, ObjectListener<T> listener, int caches, Clock clock) {
    this.clock = clock;
    this.call = new RunningCall(clock);
    this.userCode = new UserCode("source", name);
    this.pending = new PendingChanges(name);
    this.type = type;
    this.listener = listener;
    this.unsyncedCaches = caches;
  }

  /** Completes when the initial list was delivered; for any thread. */
  Future<Void> synced() {
    return synced.future();
  }

  /** Completes when nothing is delivered any more; for any thread. */
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

  /** Returns whether nothing waits for its delivery or is being delivered. */
  boolean isIdle() {
    lock.lock();
    try {
      return pending.size() == 0 && !delivering;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a change.
   *
   * @param key the object, or {@link PendingChanges.Passed}
   * @param before the state in the store before, or null
   * @param now the state in the store now, or null when the object is gone
   * @param last the last known state of an object that is gone; otherwise {@code now}
   */
  void offer(Object key, @Nullable Entry before, @Nullable Entry now, Entry last, Trigger trigger) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      pending.offer(key, before, now, last, trigger);
      change.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Marks the end of the initial list of one informer. */
  void markSynced() {
    lock.lock();
    try {
      unsyncedCaches--;
      if (!closed && unsyncedCaches == 0) {
        pending.putMarker();
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
      kept = 0;
      change.signal();
      closing.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Returns why the listener receives no events, for display. */
  Optional<String> problem() {
    return call.lasting(RunningCall.LONG).or(this::undelivered);
  }

  /** Returns the problem when it does not pass by itself. */
  Optional<String> failure() {
    return call.lasting(RunningCall.ENDLESS).or(this::undelivered);
  }

  private Optional<String> undelivered() {
    if (!fault.isEmpty()) {
      return Optional.of("events could not be delivered: " + fault + ", retrying");
    }
    int waiting = kept;
    if (waiting > 0) {
      return Optional.of(
          (waiting == 1 ? "1 event" : waiting + " events")
              + " could not be delivered, retrying: "
              + keptFor);
    }
    return ended.future().isComplete() && !isClosed()
        ? Optional.of("events are not delivered any more")
        : Optional.empty();
  }

  /** Completes the futures; their handlers run here and are user code. */
  void end() {
    contain(() -> synced.tryFail("the subscription was closed"));
    contain(ended::tryComplete);
  }

  UserCode userCode() {
    return userCode;
  }

  /** Sets the text of the current fault for {@link #problem}; empty for none. */
  void fault(String text) {
    fault = text;
  }

  private void contain(Runnable completion) {
    try {
      completion.run();
    } catch (Throwable e) {
      userCode.failed("handler of a source future failed", null, e);
    }
    userCode.clearInterrupt("future", null);
  }

  /** Waits until there is a change to deliver; false when closed. */
  boolean awaitChange() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (pending.isEmpty() && inHand == null) {
        fault = ""; // nothing is left that could not be delivered
      }
      while (inHand == null && !closed && untilNext() > 0) {
        if (pending.hasApart()) {
          change.awaitNanos(untilNext());
        } else {
          change.await();
        }
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many nanoseconds are left until a change can be delivered, under the lock. */
  private long untilNext() {
    if (!pending.isEmpty()) {
      return 0;
    }
    return pending.hasApart() ? Math.max(0, retryAt - clock.nanos()) : Long.MAX_VALUE;
  }

  /** Waits for the end of this queue; false on timeout. */
  boolean awaitClose(Duration limit) throws InterruptedException {
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

  /** Delivers the next change, or completes {@link #synced}; false when there is none. */
  boolean deliverNext() {
    Map.Entry<Object, PendingChange> next = inHand == null ? poll() : inHand;
    inHand = next;
    if (next == null) {
      return false;
    }
    PendingChange change = next.getValue();
    Request key = PendingChanges.object(next.getKey());
    if (key == null) {
      contain(synced::tryComplete);
    } else if (deliverAll(key, change)) {
      delivered(change);
    }
    inHand = null;
    lock.lock();
    try {
      delivering = false;
    } finally {
      lock.unlock();
    }
    return true;
  }

  private Map.@Nullable Entry<Object, PendingChange> poll() {
    lock.lock();
    try {
      if (pending.hasApart() && retryAt - clock.nanos() <= 0) {
        pending.putBack();
        retriesInARow++;
      }
      Map.Entry<Object, PendingChange> next = pending.poll();
      delivering = next != null;
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void delivered(PendingChange change) {
    lock.lock();
    try {
      pending.delivered(change);
      kept = pending.kept();
      if (kept == 0) {
        retriesInARow = 0;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Delivers all events of a change; false when it must be retried. */
  private boolean deliverAll(Request key, PendingChange change) {
    ObjectEvent<T> event = change.next(key, type);
    while (event != null) {
      if (!deliver(event, change)) {
        return false;
      }
      change.accepted();
      event = change.next(key, type);
    }
    return true;
  }

  private void keep(Request key, PendingChange change, Throwable cause) {
    userCode.failed("event could not be delivered, retrying", key, cause);
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (!pending.hasApart()) {
        retryAt = clock.nanos() + DeliverySupervisor.pauseAfter(retriesInARow).toNanos();
        keptFor = UserCode.text(cause);
      }
      pending.putApart(key, change);
      kept = pending.kept();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the listener accepts events; true when that fails. */
  boolean ready() {
    try {
      return listener.isReady();
    } catch (Throwable e) {
      userCode.failed("isReady of the listener failed, assuming ready", null, e);
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

  /** Calls the listener; false when it failed transiently and the change is kept. */
  private boolean deliver(ObjectEvent<T> event, PendingChange change) {
    call.begin(event.key());
    try {
      listener.onEvent(event);
      return true;
    } catch (Throwable e) {
      Throwable passing = UserCode.transientCause(e);
      if (passing != null) {
        keep(event.key(), change, passing);
        return false;
      }
      userCode.failed("listener failed, skipping the event", event.key(), e);
      return true;
    } finally {
      call.end();
      userCode.clearInterrupt("onEvent", event.key());
    }
  }
}
