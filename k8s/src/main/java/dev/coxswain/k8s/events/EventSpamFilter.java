// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many Events may be written about one object, and how many different notes it may give: one
 * object that goes wrong in a loop must not fill the API server. Remembers the objects that were
 * used last, up to a limit; a forgotten one begins anew.
 *
 * <p>Thread rule: guarded by the recorder's lock.
 */
final class EventSpamFilter {

  private final Map<Object, Bucket> buckets = bounded();
  private final Map<Object, Notes> notes = bounded();
  private final int burst;
  private final long refill;
  private final int differentNotes;
  private final long window;
  private final int remembered;

  private static final class Bucket {
    double tokens;
    long at;
  }

  private static final class Notes {
    int different;
    long first;
  }

  /**
   * Creates limits.
   *
   * @param burst how many Events an object has at the beginning
   * @param refill how long it takes until it has one more
   * @param differentNotes how many Events that differ only in their note are told apart
   * @param window for how long they are counted together
   * @param remembered how many objects are remembered
   */
  EventSpamFilter(int burst, Duration refill, int differentNotes, Duration window, int remembered) {
    this.burst = burst;
    this.refill = refill.toNanos();
    this.differentNotes = differentNotes;
    this.window = window.toNanos();
    this.remembered = remembered;
  }

  /** Takes one token of an object, when it has one. */
  boolean tryTake(Object object, long now) {
    Bucket bucket = buckets.get(object);
    if (bucket == null) {
      bucket = new Bucket();
      bucket.tokens = burst;
      bucket.at = now;
      buckets.put(object, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / (double) refill);
    bucket.at = now;
    if (bucket.tokens < 1) {
      return false;
    }
    bucket.tokens--;
    return true;
  }

  /** Counts a note that {@code similar} has not had yet; false when it has had enough of them. */
  boolean tellApart(Object similar, long now) {
    Notes known = notes.get(similar);
    if (known == null || now - known.first > window) {
      known = new Notes();
      known.first = now;
      notes.put(similar, known);
    }
    if (known.different >= differentNotes) {
      return false;
    }
    known.different++;
    return true;
  }

  private <V> Map<Object, V> bounded() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<Object, V> eldest) {
        return size() > remembered;
      }
    };
  }
}
