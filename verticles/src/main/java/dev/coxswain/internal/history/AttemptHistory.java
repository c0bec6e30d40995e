// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.history;

import dev.coxswain.view.PastAttempt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How the attempts of requests ended: the last one of each request, and the last {@value
 * PastAttempt#MAX} of one that has failed within them. A cache that grows by a budget which all
 * controllers share. Without budget it evicts the oldest entries, those of requests that have failed
 * last.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class AttemptHistory<K> {
  // A set-associative cache of 64 segments. Each grows alone, by doubling, so that no attempt pays
  // for more than a few thousand entries; a request has eight places in its segment. To touch an
  // entry is likely a cache miss: one byte of each is compared before, and the one to evict is
  // found among eight numbers that lie side by side.

  /** The requests that each controller may keep for sure. */
  public static final int LEAST = 512;

  /** Of a process, beyond those: a single controller has a hundred thousand of them. */
  private static final HistoryBudget REQUESTS = new HistoryBudget(125_000);

  private static final HistoryBudget ATTEMPTS = new HistoryBudget(60_000);

  private static final int SEGMENT_BITS = 6;
  private static final int SEGMENT_SHIFT = Integer.SIZE - SEGMENT_BITS;

  /** The number of steps of a walk: of segments. */
  public static final int STEPS = 1 << SEGMENT_BITS;

  private static final int WAYS = 8;

  /** Keys with equal hashes would take all of the budget otherwise. */
  private static final int MOST_OF_SEGMENT = 4_096;

  private static final int TAG_SHIFT = 16;

  private static final long NONE = Long.MIN_VALUE;

  /** What has failed is evicted after all that has not. */
  private static final long FAILED = 1L << 62;

  private final HistoryBudget requests;
  private final HistoryBudget attempts;

  private final List<Segment<K>> segments = new ArrayList<>(Collections.nCopies(STEPS, none()));

  /** The places and the earlier attempts that were taken from the budgets. */
  private int places;

  private int earlier;
  private long evicted = NONE; // not boxed: a full table evicts at each attempt
  private boolean closed;

  /** Creates an empty history that shares the budgets of the process. */
  public AttemptHistory() {
    this(REQUESTS, ATTEMPTS);
  }

  /**
   * Creates an empty history.
   *
   * @param requests the budget for requests
   * @param attempts the budget for the earlier attempts of those
   */
  AttemptHistory(HistoryBudget requests, HistoryBudget attempts) {
    this.requests = requests;
    this.attempts = attempts;
  }

  /** The places of a segment: sets of eight, in each the used ones first. */
  private static final class Segment<K> {
    final @Nullable HistoryEntry<K>[] entries;

    /** Of each entry, another part of its hash than chose its set. */
    final byte[] tags;

    /** Of each entry, its place in the order of eviction. */
    final long[] ranks;

    @SuppressWarnings({
      "unchecked",
      "rawtypes"
    }) // an array of a generic type cannot be made otherwise
    Segment(int length) {
      entries = new HistoryEntry[length];
      tags = new byte[length];
      ranks = new long[length];
    }

    void set(int place, HistoryEntry<K> entry, int hash) {
      entries[place] = entry;
      tags[place] = tag(hash);
      ranks[place] = entry.isPlain() ? entry.at : entry.at + FAILED;
    }

    /** Returns the place of a request, or the first free one, or -1 when its set is full. */
    int find(K key, int hash) {
      int first = firstOf(hash);
      byte tag = tag(hash);
      for (int i = first; i < first + WAYS; i++) {
        HistoryEntry<K> one = entries[i];
        if (one == null || (tags[i] == tag && one.key.equals(key))) {
          return i;
        }
      }
      return -1;
    }

    int firstOf(int hash) {
      return (hash & (entries.length / WAYS - 1)) * WAYS;
    }

    /** Returns the place of the oldest of eight, of one without failures when there is any. */
    int oldest(int first) {
      int oldest = first;
      for (int i = first + 1; i < first + WAYS; i++) {
        if (ranks[i] < ranks[oldest]) {
          oldest = i;
        }
      }
      return oldest;
    }

    /** Frees a place: the last one of its set moves there. */
    void free(int place) {
      int last = place;
      int end = (place / WAYS + 1) * WAYS;
      while (last + 1 < end && entries[last + 1] != null) {
        last++;
      }
      entries[place] = entries[last];
      tags[place] = tags[last];
      ranks[place] = ranks[last];
      entries[last] = null;
    }

    Segment<K> twice() {
      Segment<K> larger = new Segment<>(2 * entries.length);
      for (HistoryEntry<K> entry : entries) {
        if (entry != null) {
          int hash = mix(entry.key);
          int place = larger.firstOf(hash);
          while (larger.entries[place] != null) {
            place++; // at most eight: they have shared one set
          }
          larger.set(place, entry, hash);
        }
      }
      return larger;
    }

    private static byte tag(int hash) {
      return (byte) (hash >>> TAG_SHIFT);
    }
  }

  private static <K> Segment<K> none() {
    return new Segment<>(0);
  }

  /** Adds the newest entry of a request; an attempt that ends after {@link #close} has none. */
  public void add(HistoryEntry<K> entry) {
    if (closed) {
      return;
    }
    try {
      place(entry);
    } catch (Throwable e) {
      return; // equals or hashCode, which are user code, threw: not recorded
    }
  }

  private void place(HistoryEntry<K> entry) {
    int hash = mix(entry.key);
    int number = hash >>> SEGMENT_SHIFT;
    Segment<K> segment = segments.get(number);
    if (segment.entries.length == 0) {
      segment = new Segment<>(WAYS);
      segments.set(number, segment);
    }
    int place = segment.find(entry.key, hash);
    while (place < 0) {
      int length = segment.entries.length;
      if (length < MOST_OF_SEGMENT && requests.take(length, places)) {
        places += length; // also when a hash code throws now: closing gives it back
        segment = segment.twice();
        segments.set(number, segment);
      } else {
        evict(segment, segment.oldest(segment.firstOf(hash)));
      }
      place = segment.find(entry.key, hash);
    }
    HistoryEntry<K> before = segment.entries[place];
    follow(entry, before);
    segment.set(place, entry, hash);
  }

  private void evict(Segment<K> segment, int place) {
    HistoryEntry<K> gone = segment.entries[place];
    if (gone != null) {
      evicted = Math.max(evicted, gone.at);
      giveBack(lengthOf(gone) - 1);
      segment.free(place);
    }
  }

  /** Keeps the earlier attempts of a request as long as one of them has failed. */
  private void follow(HistoryEntry<K> entry, @Nullable HistoryEntry<K> before) {
    int since = before == null ? PastAttempt.MAX : before.sinceFailure + 1;
    entry.sinceFailure = (byte) (entry.outcome().failed() ? 0 : Math.min(PastAttempt.MAX, since));
    if (before == null) {
      return;
    }
    boolean worth = entry.outcome().failed() || entry.sinceFailure < PastAttempt.MAX;
    int length = lengthOf(before);
    if (!worth) {
      giveBack(length - 1);
      return;
    }
    entry.older = before;
    if (length == PastAttempt.MAX) {
      cut(entry, PastAttempt.MAX);
    } else if (attempts.take(1, earlier)) {
      earlier++;
    } else {
      cut(entry, length); // without its oldest one
    }
  }

  private static <K> void cut(HistoryEntry<K> newest, int length) {
    HistoryEntry<K> last = newest;
    for (int i = 1; i < length && last.older != null; i++) {
      last = last.older;
    }
    last.older = null;
  }

  private static int lengthOf(HistoryEntry<?> newest) {
    int length = 0;
    for (HistoryEntry<?> one = newest; one != null; one = one.older) {
      length++;
    }
    return length;
  }

  private void giveBack(int entries) {
    if (entries > 0) {
      earlier -= entries;
      attempts.give(entries);
    }
  }

  /** Returns the attempts of a request that are kept, the newest first. */
  public List<PastAttempt> of(K key) {
    List<PastAttempt> found = new ArrayList<>();
    try {
      for (HistoryEntry<K> one = search(key); one != null; one = one.older) {
        found.add(one.view());
      }
    } catch (Throwable e) {
      return List.of(); // as above
    }
    return found;
  }

  private @Nullable HistoryEntry<K> search(K key) {
    int hash = mix(key);
    Segment<K> segment = segments.get(hash >>> SEGMENT_SHIFT);
    int place = segment.entries.length == 0 ? -1 : segment.find(key, hash);
    return place < 0 ? null : segment.entries[place];
  }

  /**
   * Returns the time of the youngest entry that has been evicted, in milliseconds: a request without
   * an entry has had none after it. Null while none has been evicted.
   */
  public @Nullable Long completeAfter() {
    return evicted == NONE ? null : (Long) evicted;
  }

  // ---- slots ----

  /**
   * Removes what is kept of some requests in one step of a walk.
   *
   * @param step from 0 to {@link #STEPS}, exclusive
   */
  public void remove(int step, Predicate<K> of) {
    Segment<K> segment = segments.get(step);
    for (int i = segment.entries.length - 1;
        i >= 0;
        i--) { // backwards: a gap is filled from behind
      HistoryEntry<K> one = segment.entries[i];
      if (one != null && of.test(one.key)) {
        giveBack(lengthOf(one) - 1);
        segment.free(i);
      }
    }
  }

  /** Returns how many places a step of a walk visits. */
  public int places(int step) {
    return segments.get(step).entries.length;
  }

  /** Passes the newest entry of each request on, in one step of a walk. */
  public void forEach(int step, Consumer<HistoryEntry<K>> to) {
    for (HistoryEntry<K> one : segments.get(step).entries) {
      if (one != null) {
        to.accept(one);
      }
    }
  }

  /**
   * Adds the attempts of a request that ran on another replica; those that are here stay, and the
   * newest ones of all are kept.
   */
  public void restore(K key, List<PastAttempt> past) {
    List<PastAttempt> all =
        new ArrayList<>(of(key).reversed()); // the order of the same millisecond
    all.addAll(past.reversed());
    all.sort(Comparator.comparing(PastAttempt::endedAt));
    forget(key);
    all.stream()
        .skip(Math.max(0, all.size() - PastAttempt.MAX))
        .forEach(one -> add(HistoryEntry.of(key, one)));
  }

  private void forget(K key) {
    try {
      int hash = mix(key);
      Segment<K> segment = segments.get(hash >>> SEGMENT_SHIFT);
      int place = segment.entries.length == 0 ? -1 : segment.find(key, hash);
      HistoryEntry<K> newest = place < 0 ? null : segment.entries[place];
      if (newest != null) {
        giveBack(lengthOf(newest) - 1);
        segment.free(place);
      }
    } catch (Throwable e) {
      return; // as above
    }
  }

  /** Gives back what was taken from the budgets; nothing is kept from now on. */
  public void close() {
    closed = true;
    requests.give(places);
    attempts.give(earlier);
    places = 0;
    earlier = 0;
    Collections.fill(segments, none());
  }

  /** Spreads what differs in few bits. */
  private static int mix(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }
}
