// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits of the Events per object and of different notes per Event, so that an object that fails in
 * a loop does not fill the API server. The most recently used objects are kept, up to a limit; an
 * evicted one starts with a full burst.
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
   * Creates a filter.
   *
   * @param burst the initial number of Events of an object
   * @param refill the time until one more is allowed
   * @param differentNotes how many Events that differ only in their note are written separately
   * @param window the time over which they are counted
   * @param remembered how many objects are kept
   */
  EventSpamFilter(int burst, Duration refill, int differentNotes, Duration window, int remembered) {
    this.burst = burst;
    this.refill = refill.toNanos();
    this.differentNotes = differentNotes;
    this.window = window.toNanos();
    this.remembered = remembered;
  }

  /** Takes one token of an object, if available. */
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

  /** Counts a new note of {@code similar}; false when it has reached the limit. */
  boolean countNote(Object similar, long now) {
    Notes existing = notes.get(similar);
    if (existing == null || now - existing.first > window) {
      existing = new Notes();
      existing.first = now;
      notes.put(similar, existing);
    }
    if (existing.different >= differentNotes) {
      return false;
    }
    existing.different++;
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
