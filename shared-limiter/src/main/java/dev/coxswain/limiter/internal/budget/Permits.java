// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import java.util.Arrays;

/**
 * The permits of the pool that this replica holds, by the time from which they are good. They
 * belong to no retry: whichever starts next takes the first that is good.
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

  /** Returns the time from which a permit is good. */
  long from(int index) {
    return from[index];
  }

  void add(long goodFrom, long goodTo) {
    if (size == from.length) {
      from = Arrays.copyOf(from, size * 2);
      to = Arrays.copyOf(to, size * 2);
    }
    int at = size;
    while (at > 0 && from[at - 1] - goodFrom > 0) { // almost always none
      at--;
    }
    System.arraycopy(from, at, from, at + 1, size - at);
    System.arraycopy(to, at, to, at + 1, size - at);
    from[at] = goodFrom;
    to[at] = goodTo;
    size++;
  }

  /** Drops the permits that are good no more, and returns how many. */
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

  /** Returns how many permits are good, once the expired ones have been dropped. */
  int good(long now) {
    int good = 0;
    while (good < size && from[good] - now <= 0) {
      good++;
    }
    return good;
  }

  /** Takes the first permit, which must be good. */
  void take() {
    size--;
    System.arraycopy(from, 1, from, 0, size);
    System.arraycopy(to, 1, to, 0, size);
  }

  void clear() {
    size = 0;
  }
}
