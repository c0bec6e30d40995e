// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
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

  /** This burst is not divided, and a permit of this rate is then valid for 5 ms. */
  private static final int ALWAYS_FITS_BURST = 2;

  private static final double ALWAYS_FITS_RATE = 100;

  // Change of the configuration
  //
  // Replicas read their files at different times. Until all of them surely have, each requests with
  // the larger of the limits, so that the pool reserves the larger floors, and uses the smaller
  // floors; none when one of the limits has none, because its pool reserves nothing. So pool and
  // floors are together within the larger limits, also under an override.

  private final ClusterShape shape;

  /** The limits of requests to the pool. */
  private LimiterSpec spec;

  /** The limits of the floor, or null for no floor; those of the pool unless they change. */
  private @Nullable LimiterSpec floors;

  /** The configured limits, in force when they have settled. */
  private LimiterSpec configured;

  private boolean settling;
  private long settlesAt;
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
    this.floors = spec;
    this.configured = spec;
    this.shape = shape;
    this.split = BudgetSplit.of(spec, shape);
  }

  /**
   * Ends an override that has expired, and a change of the configuration; must be called before any
   * other method.
   */
  void update(long now) {
    RateOverride known = override;
    if (known != null && hasEnded(known, now)) {
      override = null;
      until = null;
      splitAgain();
    }
    if (settling && now - settlesAt >= 0) {
      spec = configured;
      floors = configured;
      settling = false;
      splitAgain();
    }
  }

  private void splitAgain() {
    RateOverride known = override;
    split = known == null ? BudgetSplit.of(spec, floors, null, shape) : splitUnder(known);
  }

  /**
   * Returns the split under an override; that of a lower one when the override fits only the
   * configuration of the replica that was called. What keeps the lower one keeps the higher one.
   */
  private BudgetSplit splitUnder(RateOverride known) {
    try {
      return BudgetSplit.of(spec, floors, known, shape);
    } catch (IllegalArgumentException e) {
      double rate = Math.min(known.rate(), ALWAYS_FITS_RATE);
      int burst = Math.min(known.burst(), ALWAYS_FITS_BURST);
      RateOverride lower = new RateOverride(known.generation(), rate, burst, known.leftNanos());
      return BudgetSplit.of(spec, null, lower, shape);
    }
  }

  /**
   * Changes the configured limits.
   *
   * @param to the new ones
   * @param settlesIn the time after which all replicas have them
   * @throws IllegalArgumentException when the burst is too small, or the override in force does not
   *     fit; nothing has changed then
   */
  void change(LimiterSpec to, long settlesIn, long now) {
    split = check(to);
    spec = spec.orLarger(to);
    floors = smaller(to);
    configured = to;
    settling = true;
    settlesAt = now + settlesIn;
  }

  /** Returns the split after a change; throws as {@link #change} does. */
  BudgetSplit check(LimiterSpec to) {
    BudgetSplit next = BudgetSplit.of(to, shape);
    LimiterSpec larger = spec.orLarger(to);
    BudgetSplit pool = BudgetSplit.of(larger, shape);
    if (!pool.hasFloors() && (next.hasFloors() || BudgetSplit.of(configured, shape).hasFloors())) {
      // With a large share of the floors some bursts between others are too small to divide.
      throw new IllegalArgumentException(
          LimiterSpec.key(to.name(), "burst")
              + ": "
              + to.burst()
              + " cannot follow "
              + configured.burst()
              + " while replicas run: one of them has floors, the other none; use a larger burst");
    }
    try {
      BudgetSplit.of(to, override, shape);
      return BudgetSplit.of(larger, smaller(to), override, shape);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage() + "; the override in force does not fit: end it first", e);
    }
  }

  private @Nullable LimiterSpec smaller(LimiterSpec to) {
    LimiterSpec now = floors;
    return now != null
            && BudgetSplit.of(configured, shape).hasFloors()
            && BudgetSplit.of(to, shape).hasFloors()
        ? now.orSmaller(to)
        : null;
  }

  /** Returns the limits for requests to the pool. */
  LimiterSpec requested() {
    return spec;
  }

  /** Returns whether a change of the configuration is not in force on all replicas yet. */
  boolean isSettling() {
    return settling;
  }

  /** Returns whether an override has certainly ended by the clock of the owner. */
  private boolean hasEnded(RateOverride known, long now) {
    long elapsed = now - receivedAt;
    return elapsed - elapsed / BudgetSplit.CLOCK_PARTS > known.leftNanos(); // it may be slower
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
    RateOverride received = reply.override();
    entry = reply.entry();
    ownerHigh = reply.ownerHigh();
    ownerLow = reply.ownerLow();
    ownerNanos = reply.ownerNanos();
    override = received;
    receivedAt = now;
    until = received == null ? null : end(wall.plusNanos(received.leftNanos()));
    if (!isSame(before, received)) {
      splitAgain();
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

  /** Returns the split when the override has ended. */
  BudgetSplit splitAfterOverride() {
    return BudgetSplit.of(spec, floors, null, shape);
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
