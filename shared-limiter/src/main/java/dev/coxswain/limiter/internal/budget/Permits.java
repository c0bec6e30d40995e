// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import java.util.Arrays;

/**
 * The permits of the pool that this replica holds, ordered by the time from which they are usable.
 * They belong to no retry: the next one that starts takes the first usable permit.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class Permits {
  private long[] from = new long[16];
  private long[] to = new long[16];
  private int size;

  int size() {
    return size;
  }

  /** Returns the time from which a permit is usable. */
  long from(int index) {
    return from[index];
  }

  void add(long usableFrom, long usableTo) {
    if (size == from.length) {
      from = Arrays.copyOf(from, size * 2);
      to = Arrays.copyOf(to, size * 2);
    }
    int at = size;
    while (at > 0 && from[at - 1] - usableFrom > 0) { // almost never
      at--;
    }
    System.arraycopy(from, at, from, at + 1, size - at);
    System.arraycopy(to, at, to, at + 1, size - at);
    from[at] = usableFrom;
    to[at] = usableTo;
    size++;
  }

  /** Drops the expired permits and returns how many there were. */
  int expire(long now) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (to[i] - now >= 0) {
        from[kept] = from[i];
        to[kept] = to[i];
        kept++;
      }
    }
    int expired = size - kept;
    size = kept;
    return expired;
  }

  /** Returns how many permits are usable, after the expired ones have been dropped. */
  int usable(long now) {
    int usable = 0;
    while (usable < size && from[usable] - now <= 0) {
      usable++;
    }
    return usable;
  }

  /** Takes the first permit, which must be usable. */
  void take() {
    size--;
    System.arraycopy(from, 1, from, 0, size);
    System.arraycopy(to, 1, to, 0, size);
  }

  void clear() {
    size = 0;
  }
}
