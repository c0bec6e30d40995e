// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.history;

import dev.coxswain.view.PastAttempt;
import java.util.ArrayList;
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
  // A set-associative cache of 64 segments. Each segment grows alone, by doubling, so that no
  // single
  // attempt pays for more than a few thousand entries; a request has eight places in its segment.

  /** The requests that each controller may keep for sure. */
  public static final int LEAST = 512;

  /** Of a process, beyond those: a single controller has a hundred thousand of them. */
  private static final HistoryBudget REQUESTS = new HistoryBudget(125_000);

  private static final HistoryBudget ATTEMPTS = new HistoryBudget(60_000);

  private static final int SEGMENT_BITS = 6;
  private static final int WAYS = 8;

  private final HistoryBudget requests;
  private final HistoryBudget attempts;

  private final @Nullable HistoryEntry<K>[][] segments = segments(1 << SEGMENT_BITS);

  /** The places and the earlier attempts that were taken from the budgets. */
  private int places;

  private int earlier;
  private @Nullable Long evicted;

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

  @SuppressWarnings({
    "unchecked",
    "rawtypes"
  }) // an array of a generic type cannot be made otherwise
  private static <K> @Nullable HistoryEntry<K>[][] segments(int length) {
    return new HistoryEntry[length][0];
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // as above
  private static <K> @Nullable HistoryEntry<K>[] segment(int length) {
    return new HistoryEntry[length];
  }

  /** Adds the newest entry of a request. */
  public void add(HistoryEntry<K> entry) {
    try {
      place(entry);
    } catch (Throwable e) {
      return; // equals or hashCode, which are user code, threw: not recorded
    }
  }

  private void place(HistoryEntry<K> entry) {
    int hash = mix(entry.key);
    int number = hash >>> Integer.SIZE - SEGMENT_BITS;
    @Nullable HistoryEntry<K>[] segment = segments[number];
    if (segment.length == 0) {
      segment = segment(WAYS);
      segments[number] = segment;
    }
    while (true) {
      int first = firstOf(hash, segment.length);
      for (int i = first; i < first + WAYS; i++) {
        HistoryEntry<K> before = segment[i];
        if (before == null || before.key.equals(entry.key)) {
          segment[i] = entry;
          follow(entry, before);
          return;
        }
      }
      if (!requests.take(segment.length, places)) {
        evict(segment, victim(segment, first));
        continue; // into the place that is free now
      }
      places += segment.length;
      segment = twice(segment);
      segments[number] = segment;
    }
  }

  /** Returns the oldest entry of eight, among those without failures when there are any. */
  private int victim(@Nullable HistoryEntry<K>[] segment, int first) {
    int found = -1;
    for (int i = first; i < first + WAYS; i++) {
      HistoryEntry<K> one = segment[i];
      if (one != null && (found < 0 || goesBefore(one, segment[found]))) {
        found = i;
      }
    }
    return found;
  }

  private static boolean goesBefore(HistoryEntry<?> one, @Nullable HistoryEntry<?> other) {
    if (other == null) {
      return true;
    }
    boolean plain = one.isPlain();
    return plain == other.isPlain() ? one.at < other.at : plain;
  }

  private void evict(@Nullable HistoryEntry<K>[] segment, int place) {
    HistoryEntry<K> gone = segment[place];
    if (gone != null) {
      segment[place] = null;
      evicted = evicted == null || gone.at > evicted ? (Long) gone.at : evicted;
      giveBack(lengthOf(gone) - 1);
      closeGap(segment, place);
    }
  }

  /** Moves the last one of a set into a free place: free places are behind the used ones. */
  private static void closeGap(@Nullable HistoryEntry<?>[] segment, int place) {
    int last = place;
    int end = (place / WAYS + 1) * WAYS;
    while (last + 1 < end && segment[last + 1] != null) {
      last++;
    }
    segment[place] = segment[last];
    segment[last] = null;
  }

  private @Nullable HistoryEntry<K>[] twice(@Nullable HistoryEntry<K>[] segment) {
    @Nullable HistoryEntry<K>[] larger = segment(2 * segment.length);
    for (HistoryEntry<K> entry : segment) {
      if (entry != null) {
        int place = firstOf(mix(entry.key), larger.length);
        while (larger[place] != null) {
          place++; // at most eight: they have shared one set
        }
        larger[place] = entry;
      }
    }
    return larger;
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
    @Nullable HistoryEntry<K>[] segment = segments[hash >>> Integer.SIZE - SEGMENT_BITS];
    if (segment.length == 0) {
      return null;
    }
    int first = firstOf(hash, segment.length);
    for (int i = first; i < first + WAYS; i++) {
      HistoryEntry<K> one = segment[i];
      if (one == null || one.key.equals(key)) {
        return one;
      }
    }
    return null;
  }

  /**
   * Returns the time of the youngest entry that has been evicted, in milliseconds: a request without
   * an entry has had none after it. Null while none has been evicted.
   */
  public @Nullable Long completeAfter() {
    return evicted;
  }

  // ---- slots ----

  /** The number of segments, the steps of the two walks below. */
  public static final int STEPS = 1 << SEGMENT_BITS;

  /**
   * Removes what is kept of some requests in one step of a walk.
   *
   * @param step from 0 to {@link #STEPS}, exclusive
   */
  public void remove(int step, Predicate<K> of) {
    @Nullable HistoryEntry<K>[] segment = segments[step];
    for (int i = segment.length - 1; i >= 0; i--) { // backwards: a gap is filled from behind
      HistoryEntry<K> one = segment[i];
      if (one != null && of.test(one.key)) {
        segment[i] = null;
        giveBack(lengthOf(one) - 1);
        closeGap(segment, i);
      }
    }
  }

  /** Passes the newest entries of some requests on, in one step of a walk. */
  public void forEach(int step, Predicate<K> of, Consumer<HistoryEntry<K>> to) {
    for (HistoryEntry<K> one : segments[step]) {
      if (one != null && of.test(one.key)) {
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
      remove(mix(key) >>> Integer.SIZE - SEGMENT_BITS, key::equals);
    } catch (Throwable e) {
      return; // as above
    }
  }

  /** Gives back what was taken from the budgets; nothing may be added afterwards. */
  public void close() {
    requests.give(places);
    attempts.give(earlier);
    places = 0;
    earlier = 0;
    for (int i = 0; i < segments.length; i++) {
      segments[i] = segment(0);
    }
  }

  /** Spreads what differs in few bits. */
  private static int mix(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash ^ hash >>> 15;
  }

  private static int firstOf(int hash, int length) {
    return (hash & length / WAYS - 1) * WAYS;
  }
}
