// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.ReplicaView.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The part of a budget that belongs to this replica's Lease: a token bucket that starts empty
 * whenever the Lease is taken, because its last holder may have used everything just before; and
 * whenever it may be used again, because the limits until then may have been lower.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class Floor {
  private static final long NEVER = Long.MAX_VALUE / 4;

  private @Nullable Lease lease;
  private long interval;
  private int burst;
  private long fullAt;
  private boolean usable;

  /**
   * Must come before everything else.
   *
   * @param held the Lease held now, or null
   * @param shares the shares in force now, as far as known
   * @param allowed whether the floor may be used now
   */
  void update(@Nullable Lease held, BudgetSplit shares, boolean allowed, long now) {
    boolean wasUsable = usable;
    usable = allowed;
    if (held == null) {
      lease = null;
    } else if (!held.equals(lease)) {
      lease = held;
      interval = shares.floorInterval();
      burst = shares.floorBurst();
      fullAt = held.heldSinceNanos() + burst * interval;
    } else if (allowed && !wasUsable) {
      interval = shares.floorInterval();
      burst = shares.floorBurst();
      fullAt = now + burst * interval;
    } else if (interval != shares.floorInterval() || burst != shares.floorBurst()) {
      // The tokens that are there stay, as far as there is room; more room is not filled at once,
      // nor is a floor that was away for a while.
      double tokens = burst == 0 ? 0 : burst - Math.max(0, fullAt - now) / (double) interval;
      interval = shares.floorInterval();
      burst = shares.floorBurst();
      fullAt = now + (long) Math.ceil(Math.max(0, burst - tokens) * interval);
    }
  }

  /** Returns how many tokens there are. */
  int tokens(long now) {
    if (lease == null || !usable || burst == 0) {
      return 0;
    }
    long owed = Math.max(0, fullAt - now);
    return (int) (burst - (owed + interval - 1) / interval);
  }

  /** Takes a token, which must be there. */
  void take(long now) {
    fullAt = (fullAt - now < 0 ? now : fullAt) + interval;
  }

  /** Returns how long it takes until there are {@code count} tokens; 0 when there are. */
  long until(int count, long now) {
    if (lease == null || !usable || burst == 0 || count - burst > NEVER / interval) {
      return NEVER;
    }
    return Math.max(0, Math.max(0, fullAt - now) + (count - burst) * interval);
  }
}
