// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The permits of the pool that this replica holds, and the floor of its Lease.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class HeldTokens {
  /** A wait that stands for never. */
  static final long FAR = Long.MAX_VALUE / 4;

  private final Permits permits = new Permits();
  private final Floor floor = new Floor();
  private long fromPool;
  private long fromFloor;
  private long expired;
  private long late;

  /**
   * Applies the current state and returns how many permits have expired; must be called before any
   * other method.
   */
  int update(
      @Nullable Lease lease,
      BudgetSplit split,
      boolean floorAllowed,
      boolean poolAllowed,
      long now) {
    updateFloor(lease, split, floorAllowed, now);
    if (!poolAllowed) {
      permits.clear();
    }
    int expiredNow = permits.expire(now);
    expired += expiredNow;
    return expiredNow;
  }

  /** Advances the floor to a time with a split. */
  void updateFloor(@Nullable Lease lease, BudgetSplit split, boolean allowed, long now) {
    floor.update(lease, split, allowed, now);
  }

  /** Returns how many retries could start now. */
  int usable(long now) {
    return permits.usable(now) + floorTokens(now);
  }

  /** Takes one, which must be usable, and returns whether it was a permit of the pool. */
  boolean take(long now) {
    if (permits.usable(now) > 0) {
      permits.take();
      fromPool++;
      return true;
    }
    floor.take(now);
    fromFloor++;
    return false;
  }

  /** Returns how many permits are held, usable now or later. */
  int permits() {
    return permits.size();
  }

  int floorTokens(long now) {
    return floor.tokens(now);
  }

  /** Returns the time until {@code count} permits and tokens are usable, without future grants. */
  long until(int count, long now) {
    int pool = 0;
    int tokens = 0;
    long wait = 0;
    for (int i = 0; i < count; i++) {
      long permit = pool < permits.size() ? Math.max(0, permits.from(pool) - now) : FAR;
      long token = floor.until(tokens + 1, now);
      if (permit <= token) {
        pool++;
      } else {
        tokens++;
      }
      wait = Math.min(permit, token);
      if (wait >= FAR) {
        return FAR;
      }
    }
    return wait;
  }

  /** Adds the permits of a reply that can still be used, and counts the others as late. */
  void add(PoolReply reply, long sentAt, long receivedAt) {
    for (int i = 0; i < reply.granted(); i++) {
      long delay = Math.max(0, reply.firstDelay() + i * reply.interval());
      long end = delay + reply.permitNanos() - reply.slackNanos();
      long from = receivedAt + delay + Math.ceilDiv(delay, BudgetSplit.CLOCK_PARTS);
      long to = sentAt + end - Math.ceilDiv(end, BudgetSplit.CLOCK_PARTS);
      if (to - from < 0) {
        late++;
      } else {
        permits.add(from, to);
      }
    }
  }

  /** Counts the permits of a reply that came too late for all of them. */
  void countLate(int granted) {
    late += granted;
  }

  long fromPool() {
    return fromPool;
  }

  long fromFloor() {
    return fromFloor;
  }

  long expired() {
    return expired;
  }

  long late() {
    return late;
  }

  /**
   * The permits of the pool that this replica holds, ordered by the time from which they are usable.
   * They belong to no retry: the next one that starts takes the first usable permit.
   */
  private static final class Permits {
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
}
