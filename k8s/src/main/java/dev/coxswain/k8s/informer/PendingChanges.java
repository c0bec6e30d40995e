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
 * The changes that wait for one listener, at most one for each object: a line of those to deliver,
 * and apart from it those whose delivery failed, until they are tried again.
 *
 * <p>Thread rule: under the delivery's lock.
 */
final class PendingChanges {

  private static final Logger log = LoggerFactory.getLogger(PendingChanges.class);

  /** The end of what was there at the start, in the line. */
  static final Object SYNC_MARKER = new Object();

  private final String name;
  private final SequencedMap<Object, PendingChange> line = new LinkedHashMap<>();
  private final Map<Request, PendingChange> apart = new LinkedHashMap<>();

  /** How many wait that no object bounds; see {@link PendingChange#isUnbounded}. */
  private int unbounded;

  /** How many changes of a failed delivery there are: apart, back in the line, or in delivery. */
  private int kept;

  private long untold;

  /**
   * Creates an empty line.
   *
   * @param name the subscription, for logs
   */
  PendingChanges(String name) {
    this.name = name;
  }

  int size() {
    return line.size() + apart.size();
  }

  boolean isEmpty() {
    return line.isEmpty();
  }

  int kept() {
    return kept;
  }

  boolean hasApart() {
    return !apart.isEmpty();
  }

  void clear() {
    line.clear();
    apart.clear();
    unbounded = 0;
    kept = 0;
  }

  void putMarker() {
    line.put(SYNC_MARKER, new PendingChange(null, Trigger.INITIAL_LIST));
  }

  /** Adds a change, or merges it with what waits; see {@link ListenerQueue#offer}. */
  void offer(
      Request key, @Nullable Entry before, @Nullable Entry now, Entry last, Trigger trigger) {
    PendingChange known = apart.get(key);
    Map<?, PendingChange> in = apart;
    if (known == null) {
      known = line.get(key);
      in = line;
    }
    if (known == null) {
      known = new PendingChange(before, trigger);
      line.put(key, known);
    } else {
      known.trigger(trigger);
    }
    boolean was = known.isUnbounded();
    known.change(now, last);
    if (was && !known.isUnbounded()) {
      unbounded--;
    } else if (!was && known.isUnbounded() && !hasRoom()) {
      in.remove(key);
      dropped(key, known);
    } else if (!was && known.isUnbounded()) {
      unbounded++;
    }
  }

  /** Takes the first change out of the line; null for none. */
  Map.@Nullable Entry<Object, PendingChange> poll() {
    Map.Entry<Object, PendingChange> next = line.pollFirstEntry();
    if (next != null && next.getValue().isUnbounded()) {
      unbounded--;
    }
    return next;
  }

  /** Notes that everything of a change was accepted. */
  void delivered(PendingChange change) {
    if (change.isKept()) {
      kept--;
    }
  }

  /** Puts a change apart whose delivery failed, together with what has happened since. */
  void putApart(Request key, PendingChange change) {
    if (!change.isKept()) {
      change.keep();
      kept++;
    }
    PendingChange later = line.remove(key);
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

  /** Puts what is apart back into the line, at its end. */
  void putBack() {
    line.putAll(apart);
    apart.clear();
  }

  private boolean hasRoom() {
    return unbounded < ListenerQueue.MOST_UNHEARD;
  }

  private void dropped(Request key, PendingChange change) {
    delivered(change);
    untold++;
    // The 1st, 2nd, 4th, 8th ... time: there may be thousands.
    if (Long.bitCount(untold) == 1) {
      log.atWarn()
          .addKeyValue("source", name)
          .addKeyValue("key", key)
          .addKeyValue("count", untold)
          .log("listener overloaded, deletions dropped");
    }
  }
}
