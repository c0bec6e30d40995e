// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import org.jspecify.annotations.Nullable;

/**
 * What this replica could start retries with: permits of the pool and the floor of its Lease.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class HeldTokens {
  /** Longer than anything that is waited for. */
  static final long FAR = Long.MAX_VALUE / 4;

  private static final int DRIFT_SHIFT = 11;

  private final Permits permits = new Permits();
  private final Floor floor = new Floor();
  private long fromPool;
  private long fromFloor;
  private long expired;
  private long late;

  /** Must come before everything else; returns how many permits have expired. */
  int update(
      @Nullable Lease lease,
      BudgetSplit shares,
      boolean floorAllowed,
      boolean poolAllowed,
      long now) {
    updateFloor(lease, shares, floorAllowed, now);
    if (!poolAllowed) {
      permits.clear();
    }
    int gone = permits.expire(now);
    expired += gone;
    return gone;
  }

  /** Brings the floor up to a time, with the shares until then or from then on. */
  void updateFloor(@Nullable Lease lease, BudgetSplit shares, boolean allowed, long now) {
    floor.update(lease, shares, allowed, now);
  }

  /** Returns how many retries could start now. */
  int good(long now) {
    return permits.good(now) + floorTokens(now);
  }

  /** Takes one, which must be there, and returns whether it was of the pool. */
  boolean take(long now) {
    if (permits.good(now) > 0) {
      permits.take();
      fromPool++;
      return true;
    }
    floor.take(now);
    fromFloor++;
    return false;
  }

  /** Returns how many permits are held, good already or only later. */
  int permits() {
    return permits.size();
  }

  int floorTokens(long now) {
    return floor.tokens(now);
  }

  /** Returns how long it takes until there are {@code count} permits and tokens, as is known. */
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

  /** Takes the permits of an answer as far as they can be used. */
  void add(PoolReply reply, long sentAt, long receivedAt) {
    for (int i = 0; i < reply.granted(); i++) {
      long delay = Math.max(0, reply.firstDelay() + i * reply.interval());
      long drift = delay >> DRIFT_SHIFT;
      long from = receivedAt + delay + drift;
      long to = sentAt + delay - drift + reply.permitNanos() - reply.slackNanos();
      if (to - from < 0) {
        late++;
      } else {
        permits.add(from, to);
      }
    }
  }

  /** Counts permits of an answer that came too late for all of them. */
  void tooLate(int granted) {
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
