// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
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
