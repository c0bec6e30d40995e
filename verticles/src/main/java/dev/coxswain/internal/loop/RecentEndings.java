// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import org.jspecify.annotations.Nullable;

/**
 * The recent ends of requests in the queue: reconciled, dropped or flushed. A cache of fixed size that
 * keeps the newest ending of each request; an entry is evicted when four younger ones share its
 * slot. Writing one costs four reads and no allocation.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class RecentEndings<K> {
  /** The most requests that are kept: 24 KiB with compressed references. */
  public static final int CAPACITY = 2_048;

  private static final int WAYS = 4;

  private @Nullable Object[] keys = {};
  private long[] times = {};
  private @Nullable Removal[] removals = {};
  private @Nullable Long evicted;

  /**
   * The removal of a request other than by success.
   *
   * @param flushed whether by a bulk flush, otherwise by a single drop
   * @param by the actor, empty when not given
   * @param reason the reason that the actor gave, empty without one
   */
  public record Removal(boolean flushed, String by, String reason) {}

  /**
   * One ending.
   *
   * @param at the time, by the clock
   * @param removal the removal, or null for a success
   */
  public record Ending(long at, @Nullable Removal removal) {}

  public void succeeded(K key, long at) {
    put(key, at, null);
  }

  public void removed(K key, long at, Removal removal) {
    put(key, at, removal);
  }

  /** Removes the ending of a request that is tracked again or has failed since. */
  public void forget(K key) {
    try {
      remove(key);
    } catch (Throwable e) {
      return; // as in put
    }
  }

  private void remove(K key) {
    if (keys.length == 0) {
      return;
    }
    int first = firstOf(key);
    int place = -1;
    int last = first - 1;
    for (int i = first; i < first + WAYS && keys[i] != null; i++) {
      last = i;
      if (place < 0 && key.equals(keys[i])) {
        place = i;
      }
    }
    if (place >= 0) {
      // The last one fills the gap: free slots are behind the used ones.
      keys[place] = keys[last];
      times[place] = times[last];
      removals[place] = removals[last];
      keys[last] = null;
      removals[last] = null;
    }
  }

  private void put(K key, long at, @Nullable Removal removal) {
    try {
      place(key, at, removal);
    } catch (Throwable e) {
      return; // equals or hashCode, which are user code, threw: not recorded
    }
  }

  private void place(K key, long at, @Nullable Removal removal) {
    if (keys.length == 0) {
      times = new long[CAPACITY];
      removals = new Removal[CAPACITY];
      keys = new Object[CAPACITY]; // last: its length says that all are there
    }
    int first = firstOf(key);
    int place = first;
    for (int i = first; i < first + WAYS; i++) {
      Object other = keys[i];
      if (other == null || other.equals(key)) {
        place = i;
        break;
      }
      if (times[i] - times[place] < 0) {
        place = i;
      }
    }
    if (keys[place] != null && !key.equals(keys[place])) {
      Long before = evicted;
      evicted = before == null || times[place] - before > 0 ? (Long) times[place] : before;
    }
    keys[place] = key;
    times[place] = at;
    removals[place] = removal;
  }

  /** Returns the last ending of a request, or null when it is not kept. */
  public @Nullable Ending find(K key) {
    try {
      return search(key);
    } catch (Throwable e) {
      return null; // as above
    }
  }

  /**
   * Returns the time of the youngest ending that has been evicted: a request without an ending here
   * has had none after it. Null while none has been evicted.
   */
  public @Nullable Long completeAfter() {
    return evicted;
  }

  private @Nullable Ending search(K key) {
    if (keys.length == 0) {
      return null;
    }
    int first = firstOf(key);
    for (int i = first; i < first + WAYS; i++) {
      if (key.equals(keys[i])) {
        return new Ending(times[i], removals[i]);
      }
    }
    return null;
  }

  private static int firstOf(Object key) {
    int hash = key.hashCode() * 0x9E3779B9; // spreads what differs in few bits
    return (hash >>> 16 & CAPACITY / WAYS - 1) * WAYS;
  }
}
