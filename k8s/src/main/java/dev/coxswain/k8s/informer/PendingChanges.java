// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pending changes of one listener, at most one per object: a queue of changes to deliver, and
 * apart from it the changes whose delivery failed, until they are retried.
 *
 * <p>Thread rule: under the listener queue's lock.
 */
final class PendingChanges {

  /**
   * The difference between the state of an object that a listener received last and the latest state.
   * It is delivered as one to four events; {@link #accepted} advances the delivered state, so that an
   * interrupted delivery continues behind the last accepted event.
   *
   * <p>Thread rule: under the queue's lock while it waits, confined to the queue's thread while it is
   * delivered.
   */
  static final class PendingChange {

    private @Nullable Entry delivered;
    private @Nullable Entry latest;

    /** The newest state of the delivered incarnation, which its delete event carries. */
    private @Nullable Entry lastDelivered;

    /** The last state of the newest incarnation that is gone and was never delivered, if any. */
    private @Nullable Entry missed;

    private Trigger trigger;
    private boolean done;

    /** Whether a delivery of this change failed and is retried. */
    private boolean kept;

    PendingChange(@Nullable Entry delivered, Trigger trigger) {
      this.delivered = delivered;
      this.latest = delivered;
      this.lastDelivered = delivered;
      this.trigger = trigger;
    }

    /** Applies a new state, or null for the end of the object. */
    void change(@Nullable Entry now, Entry last) {
      Entry before = latest;
      if (isDelivered(last)) {
        lastDelivered = last;
      } else if (before != null && !isDelivered(before) && !isSame(before, now)) {
        missed = isSame(before, last) ? last : before;
      }
      latest = now;
    }

    /** Sets the cause: an event outranks a list or resync. */
    void trigger(Trigger value) {
      if (value == Trigger.EVENT) {
        trigger = value;
      }
    }

    /** Appends a change that begins where this one ends. */
    void append(PendingChange later) {
      Entry lastOfLater = later.lastDelivered;
      if (lastOfLater != null && !isSame(lastOfLater, later.latest)) {
        change(null, lastOfLater);
      }
      Entry between = later.missed;
      if (between != null) {
        change(between, between);
        change(null, between);
      }
      Entry end = later.latest;
      if (end != null) {
        change(end, end);
      }
      trigger(later.trigger);
    }

    void keep() {
      kept = true;
    }

    boolean isKept() {
      return kept;
    }

    /**
     * Returns whether no existing object bounds how many of these wait: the object came and went, or
     * its end could not be delivered.
     */
    boolean isUnbounded() {
      return latest == null && (delivered == null ? missed != null : kept);
    }

    /** Returns the next event to deliver, or null when everything was accepted. */
    <T extends KubernetesObject> @Nullable ObjectEvent<T> next(Request key, Class<T> type) {
      Entry now = latest;
      Entry gone = lastDelivered;
      Entry between = missed;
      if (done) {
        return null;
      }
      if (gone != null && endsDelivered()) {
        return new ObjectEvent<>(ObjectEvent.Kind.DELETED, key, null, gone, trigger, type);
      }
      if (between != null) {
        return new ObjectEvent<>(ObjectEvent.Kind.ADDED, key, null, between, trigger, type);
      }
      if (now == null) {
        return null;
      }
      return delivered == null
          ? new ObjectEvent<>(ObjectEvent.Kind.ADDED, key, null, now, trigger, type)
          : new ObjectEvent<>(ObjectEvent.Kind.UPDATED, key, delivered, now, trigger, type);
    }

    /** Advances the delivered state past {@link #next}. */
    void accepted() {
      if (delivered != null && endsDelivered()) {
        delivered = null;
        lastDelivered = null;
      } else if (missed != null) {
        delivered = missed;
        lastDelivered = missed;
        missed = null;
      } else {
        delivered = latest;
        lastDelivered = latest;
        done = true;
      }
    }

    /** Returns whether the delivered incarnation is gone, even when the same uid came back. */
    private boolean endsDelivered() {
      Entry before = delivered;
      return before != null && (missed != null || !isSame(before, latest));
    }

    private boolean isDelivered(Entry entry) {
      return isSame(entry, delivered);
    }

    private static boolean isSame(Entry one, @Nullable Entry other) {
      return other != null && one.uid().equals(other.uid());
    }
  }

  private static final Logger log = LoggerFactory.getLogger(PendingChanges.class);

  /** The end of the initial list, in the queue. */
  static final Object SYNC_MARKER = new Object();

  /** A state of an object that was never stored, in the queue beside the changes of the object. */
  record Passed(Request object, String version) {}

  private final String name;
  private final SequencedMap<Object, PendingChange> queue = new LinkedHashMap<>();
  private final Map<Request, PendingChange> apart = new LinkedHashMap<>();

  /** The number of {@linkplain PendingChange#isUnbounded unbounded} changes. */
  private int unbounded;

  /** The number of changes whose delivery failed: apart, queued again, or in delivery. */
  private int kept;

  private long droppedCount;

  /**
   * Creates an empty queue.
   *
   * @param name the subscription, for logs
   */
  PendingChanges(String name) {
    this.name = name;
  }

  int size() {
    return queue.size() + apart.size();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  int kept() {
    return kept;
  }

  boolean hasApart() {
    return !apart.isEmpty();
  }

  void clear() {
    queue.clear();
    apart.clear();
    unbounded = 0;
    kept = 0;
  }

  void putMarker() {
    queue.put(SYNC_MARKER, new PendingChange(null, Trigger.INITIAL_LIST));
  }

  /** Adds a change, or merges it with the pending one; see {@link ListenerQueue#offer}. */
  void offer(Object key, @Nullable Entry before, @Nullable Entry now, Entry last, Trigger trigger) {
    PendingChange change = apart.get(key);
    Map<?, PendingChange> in = apart;
    if (change == null) {
      change = queue.get(key);
      in = queue;
    }
    if (change == null) {
      change = new PendingChange(before, trigger);
      queue.put(key, change);
    } else {
      change.trigger(trigger);
    }
    boolean was = change.isUnbounded();
    change.change(now, last);
    if (was && !change.isUnbounded()) {
      unbounded--;
    } else if (!was && change.isUnbounded() && !hasRoom()) {
      in.remove(key);
      dropped(key, change);
    } else if (!was && change.isUnbounded()) {
      unbounded++;
    }
  }

  /** Returns the object of a key in the queue; null for the marker. */
  static @Nullable Request object(Object key) {
    if (key instanceof Passed passed) {
      return passed.object();
    }
    return key instanceof Request object ? object : null;
  }

  /** Takes the first change; null for none. */
  Map.@Nullable Entry<Object, PendingChange> poll() {
    Map.Entry<Object, PendingChange> next = queue.pollFirstEntry();
    if (next != null && next.getValue().isUnbounded()) {
      unbounded--;
    }
    return next;
  }

  /** Removes a change of which everything was accepted. */
  void delivered(PendingChange change) {
    if (change.isKept()) {
      kept--;
    }
  }

  /** Sets a change apart whose delivery failed, merged with the changes since. */
  void putApart(Request key, PendingChange change) {
    if (!change.isKept()) {
      change.keep();
      kept++;
    }
    PendingChange later = queue.remove(key);
    if (later != null) {
      if (later.isUnbounded()) {
        unbounded--;
      }
      change.append(later);
    }
    if (!change.isUnbounded()) {
      apart.put(key, change);
    } else if (hasRoom()) {
      apart.put(key, change);
      unbounded++;
    } else {
      dropped(key, change);
    }
  }

  /** Queues the changes that were set apart again, at the end. */
  void putBack() {
    queue.putAll(apart);
    apart.clear();
  }

  private boolean hasRoom() {
    return unbounded < ListenerQueue.MAX_MISSED;
  }

  private void dropped(Object key, PendingChange change) {
    delivered(change);
    droppedCount++;
    // The 1st, 2nd, 4th, 8th ... time: there may be thousands.
    if (Long.bitCount(droppedCount) == 1) {
      log.atWarn()
          .addKeyValue("source", name)
          .addKeyValue("key", key)
          .addKeyValue("count", droppedCount)
          .log("listener overloaded, deletions dropped");
    }
  }
}
