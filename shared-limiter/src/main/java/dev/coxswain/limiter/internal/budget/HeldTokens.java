// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolReply;
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
}
