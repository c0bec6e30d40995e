// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.undo;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.retry.BudgetSnapshot;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The rate and burst of a limiter as audit records have them. Immutable.
 *
 * @param until the end of the override; null for what is configured
 */
public record LimitState(double rate, int burst, @Nullable Instant until) {

  public static LimitState of(BudgetSnapshot limiter) {
    return new LimitState(limiter.rate(), limiter.burst(), limiter.overrideUntil());
  }

  /** Returns whether a limiter has this state; its replicas compute the end of an override. */
  public boolean isNearly(LimitState other) {
    return rate == other.rate && burst == other.burst && PauseState.isNear(until, other.until);
  }

  /** Returns whether it is an override that has ended at a time. */
  public boolean isOver(Instant now) {
    return until != null && !until.isAfter(now);
  }

  /** Returns it in words. */
  public String words() {
    return "rate "
        + new BigDecimal(Double.toString(rate)).stripTrailingZeros().toPlainString()
        + ", burst "
        + burst
        + (until == null ? ", as configured" : ", until " + Durations.shown(until));
  }
}
