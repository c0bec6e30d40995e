// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.RateOverride;
import dev.coxswain.limiter.internal.bucket.EntryId;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The rate and burst that hold now, as far as this replica has heard: what is configured, or what
 * an operator has set for a while.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class EffectiveLimit {
  private static final Duration SAME_END = Duration.ofSeconds(2);

  /** The clock of the owner, by which an override ends, is slower by one part in 2048 at most. */
  private static final int DRIFT_SHIFT = 11;

  private final LimiterSpec spec;
  private final ClusterShape shape;
  private BudgetSplit shares;
  private @Nullable RateOverride override;
  private @Nullable Instant until;
  private @Nullable EntryId entry;
  private long ownerHigh;
  private long ownerLow;
  private long ownerNanos;
  private long heardAt;

  /** Throws an {@link IllegalArgumentException} naming the key when the burst is too small. */
  EffectiveLimit(LimiterSpec spec, ClusterShape shape) {
    this.spec = spec;
    this.shape = shape;
    this.shares = BudgetSplit.of(spec, shape);
  }

  /** Ends an override whose time is up; must come before everything else. */
  void update(long now) {
    RateOverride known = override;
    if (known != null && hasEnded(known, now)) {
      override = null;
      until = null;
      shares = BudgetSplit.of(spec, shape);
    }
  }

  /** Returns whether an override has certainly ended by the clock of the owner too. */
  private boolean hasEnded(RateOverride known, long now) {
    long elapsed = now - heardAt;
    return elapsed - (elapsed >> DRIFT_SHIFT) > known.leftNanos();
  }

  /**
   * Takes what an answer of the pool says, unless a later one has been taken already.
   *
   * @param sentAt when the call was sent
   * @param now the monotonic time
   * @param wall the time of day, for people
   * @return whether it was taken
   */
  boolean received(PoolReply reply, long sentAt, long now, Instant wall) {
    if (!isLater(reply, sentAt)) {
      return false;
    }
    RateOverride before = override;
    RateOverride next = reply.override();
    entry = reply.entry();
    ownerHigh = reply.ownerHigh();
    ownerLow = reply.ownerLow();
    ownerNanos = reply.ownerNanos();
    override = next;
    heardAt = now;
    until = next == null ? null : end(wall.plusNanos(next.leftNanos()));
    if (!isSame(before, next)) {
      shares = BudgetSplit.of(spec, next, shape);
    }
    return true;
  }

  /**
   * Returns whether an answer was certainly made later than the last one that was taken: on the
   * same owner, by its clock; else when the call was sent after that one had arrived. Generations
   * do not tell: an entry that takes the place of a lost one begins to count anew, and a backup may
   * lack the last change. An answer of which it is not certain is left; the next one comes within a
   * second.
   */
  private boolean isLater(PoolReply reply, long sentAt) {
    if (entry == null) {
      return true;
    }
    boolean sameOwner = ownerHigh == reply.ownerHigh() && ownerLow == reply.ownerLow();
    return sameOwner ? reply.ownerNanos() - ownerNanos >= 0 : sentAt - heardAt >= 0;
  }

  private static boolean isSame(@Nullable RateOverride a, @Nullable RateOverride b) {
    if (a == null || b == null) {
      return a == null && b == null;
    }
    return a.rate() == b.rate() && a.burst() == b.burst();
  }

  /** Returns whether the pool has answered since this replica started. */
  boolean isKnown() {
    return entry != null;
  }

  /** Returns the override that this replica goes by, or null. */
  PoolRequest.@Nullable Held held(long now) {
    EntryId of = entry;
    RateOverride known = override;
    if (of == null || known == null || hasEnded(known, now)) {
      return null;
    }
    long left = Math.max(1, known.leftNanos() - (now - heardAt));
    return new PoolRequest.Held(
        of, new RateOverride(known.generation(), known.rate(), known.burst(), left));
  }

  /** The same end is told again and again, a little different each time: only news count. */
  private Instant end(Instant told) {
    Instant known = until;
    return known == null || Duration.between(known, told).abs().compareTo(SAME_END) > 0
        ? told
        : known;
  }

  /** Returns when an override ends by the wall clock, or null when there is none. */
  @Nullable Instant overrideUntil() {
    return until;
  }

  BudgetSplit shares() {
    return shares;
  }

  double rate() {
    return override == null ? spec.rate() : override.rate();
  }

  int burst() {
    return override == null ? spec.burst() : override.burst();
  }

  /** Returns how long an override still holds, or null when there is none. */
  @Nullable Duration overrideLeft(long now) {
    return override == null
        ? null
        : Duration.ofNanos(Math.max(0, override.leftNanos() - (now - heardAt)));
  }
}
