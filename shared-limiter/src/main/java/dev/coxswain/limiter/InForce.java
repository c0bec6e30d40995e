// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The rate and burst that hold now, as far as this replica has heard: what is configured, or what
 * an operator has set for a while.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class InForce {
  private static final Duration SAME_END = Duration.ofSeconds(2);

  private final LimiterSpec spec;
  private final ClusterShape shape;
  private Shares shares;
  private @Nullable RateOverride override;
  private @Nullable Instant until;
  private int generation;
  private long heardAt;

  /** Throws an {@link IllegalArgumentException} naming the key when the burst is too small. */
  InForce(LimiterSpec spec, ClusterShape shape) {
    this.spec = spec;
    this.shape = shape;
    this.shares = Shares.of(spec, shape);
  }

  /** Ends an override whose time is up; must come before everything else. */
  void update(long now) {
    if (override != null && now - heardAt >= override.leftNanos()) {
      override = null;
      until = null;
      shares = Shares.of(spec, shape);
    }
  }

  /**
   * Learns from any answer of the pool.
   *
   * @param now the monotonic time
   * @param wall the time of day, for people
   */
  void heard(PoolReply reply, long now, Instant wall) {
    if (reply.overrideGeneration() - generation < 0) {
      return; // an answer that was overtaken
    }
    RateOverride told = reply.override();
    boolean same = reply.overrideGeneration() == generation && (told == null) == (override == null);
    generation = reply.overrideGeneration();
    override = told;
    heardAt = now;
    until = told == null ? null : end(wall.plusNanos(told.leftNanos()));
    if (!same) {
      shares = Shares.of(spec, told, shape);
    }
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

  Shares shares() {
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
    return override == null ? null : Duration.ofNanos(override.leftNanos() - (now - heardAt));
  }
}
