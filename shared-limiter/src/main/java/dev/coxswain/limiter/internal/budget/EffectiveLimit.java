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
 * The rate and burst in force, as far as this replica has received: the configured ones, or those
 * of an override.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class EffectiveLimit {
  private static final Duration SAME_END = Duration.ofSeconds(2);

  /** An override ends by the clock of the owner, which is slower by one part in 2048 at most. */
  private static final int DRIFT_SHIFT = 11;

  private final LimiterSpec spec;
  private final ClusterShape shape;
  private BudgetSplit split;
  private @Nullable RateOverride override;
  private @Nullable Instant until;
  private @Nullable EntryId entry;
  private long ownerHigh;
  private long ownerLow;
  private long ownerNanos;
  private long receivedAt;

  /** Throws an {@link IllegalArgumentException} naming the key when the burst is too small. */
  EffectiveLimit(LimiterSpec spec, ClusterShape shape) {
    this.spec = spec;
    this.shape = shape;
    this.split = BudgetSplit.of(spec, shape);
  }

  /** Ends an override that has expired; must be called before any other method. */
  void update(long now) {
    RateOverride known = override;
    if (known != null && hasEnded(known, now)) {
      override = null;
      until = null;
      split = BudgetSplit.of(spec, shape);
    }
  }

  /** Returns whether an override has certainly ended by the clock of the owner. */
  private boolean hasEnded(RateOverride known, long now) {
    long elapsed = now - receivedAt;
    return elapsed - (elapsed >> DRIFT_SHIFT) > known.leftNanos();
  }

  /**
   * Stores the override of a reply, unless a later reply was stored before.
   *
   * @param sentAt when the call was sent
   * @param now the monotonic time
   * @param wall the wall-clock time, for display
   * @return whether the reply was stored
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
    receivedAt = now;
    until = next == null ? null : end(wall.plusNanos(next.leftNanos()));
    if (!isSame(before, next)) {
      split = BudgetSplit.of(spec, next, shape);
    }
    return true;
  }

  /**
   * Returns whether a reply was certainly made later than the last stored one: for the same owner,
   * by its clock; otherwise, if the call was sent after the last one had arrived. Override
   * generations do not order replies: an entry that replaces a lost one counts from the start, and
   * a backup may lack the last change. A reply whose order is uncertain is ignored; the next one
   * comes within a second.
   */
  private boolean isLater(PoolReply reply, long sentAt) {
    if (entry == null) {
      return true;
    }
    boolean sameOwner = ownerHigh == reply.ownerHigh() && ownerLow == reply.ownerLow();
    return sameOwner ? reply.ownerNanos() - ownerNanos >= 0 : sentAt - receivedAt >= 0;
  }

  private static boolean isSame(@Nullable RateOverride a, @Nullable RateOverride b) {
    if (a == null || b == null) {
      return a == null && b == null;
    }
    return a.rate() == b.rate() && a.burst() == b.burst();
  }

  /** Returns whether the pool has replied since this replica started. */
  boolean isKnown() {
    return entry != null;
  }

  /** Returns the override that this replica applies, or null. */
  PoolRequest.@Nullable Held held(long now) {
    EntryId of = entry;
    RateOverride known = override;
    if (of == null || known == null || hasEnded(known, now)) {
      return null;
    }
    long left = Math.max(1, known.leftNanos() - (now - receivedAt));
    return new PoolRequest.Held(
        of, new RateOverride(known.generation(), known.rate(), known.burst(), left));
  }

  /**
   * Returns the known end if the reported one differs little: each reply gives a slightly other
   * end.
   */
  private Instant end(Instant reported) {
    Instant known = until;
    return known == null || Duration.between(known, reported).abs().compareTo(SAME_END) > 0
        ? reported
        : known;
  }

  /** Returns when the override ends by the wall clock, or null when there is none. */
  @Nullable Instant overrideUntil() {
    return until;
  }

  BudgetSplit split() {
    return split;
  }

  double rate() {
    return override == null ? spec.rate() : override.rate();
  }

  int burst() {
    return override == null ? spec.burst() : override.burst();
  }

  /** Returns the remaining duration of the override, or null when there is none. */
  @Nullable Duration overrideLeft(long now) {
    return override == null
        ? null
        : Duration.ofNanos(Math.max(0, override.leftNanos() - (now - receivedAt)));
  }
}
