// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The part of a budget that belongs to this replica's Lease. It is a token bucket that starts empty
 * when the Lease is taken, because the last holder may have used all tokens just before, and when
 * its use is allowed again, because the limits until then may have been lower.
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
   * Applies the current Lease and limits; must be called before any other method.
   *
   * @param held the held Lease, or null
   * @param split the split in force, as far as known
   * @param allowed whether the floor may be used
   */
  void update(@Nullable Lease held, BudgetSplit split, boolean allowed, long now) {
    boolean wasUsable = usable;
    usable = allowed;
    if (held == null) {
      lease = null;
    } else if (!held.equals(lease)) {
      lease = held;
      interval = split.floorInterval();
      burst = split.floorBurst();
      fullAt = held.heldSinceNanos() + burst * interval;
    } else if (allowed && !wasUsable) {
      interval = split.floorInterval();
      burst = split.floorBurst();
      fullAt = now + burst * interval;
    } else if (interval != split.floorInterval() || burst != split.floorBurst()) {
      // Existing tokens stay, up to the new burst. A larger burst starts without additional tokens,
      // as does a floor that had no burst for a while.
      double tokens = burst == 0 ? 0 : burst - Math.max(0, fullAt - now) / (double) interval;
      interval = split.floorInterval();
      burst = split.floorBurst();
      fullAt = now + (long) Math.ceil(Math.max(0, burst - tokens) * interval);
    }
  }

  /** Returns the number of tokens. */
  int tokens(long now) {
    if (lease == null || !usable || burst == 0) {
      return 0;
    }
    long owed = Math.max(0, fullAt - now);
    return (int) (burst - (owed + interval - 1) / interval);
  }

  /** Takes a token, which must exist. */
  void take(long now) {
    fullAt = (fullAt - now < 0 ? now : fullAt) + interval;
  }

  /** Returns the time until there are {@code count} tokens; 0 when there already are. */
  long until(int count, long now) {
    if (lease == null || !usable || burst == 0 || count - burst > NEVER / interval) {
      return NEVER;
    }
    return Math.max(0, Math.max(0, fullAt - now) + (count - burst) * interval);
  }
}
