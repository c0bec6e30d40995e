// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Decides when to log that a limiter is degraded and when it has recovered, only if the state lasts a
 * second. A single late reply is only counted. Starts, stops and roll-outs degrade a limiter for up
 * to two leases, which is no fault; it is a warning when it lasts longer.
 *
 * <p>Thread rule: guarded by the budget, except {@link Report#log}, which is called without the
 * lock.
 */
final class Degradation {
  private static final Logger log = LoggerFactory.getLogger(Degradation.class);
  private static final long REPORT_AFTER_NANOS = 1_000_000_000;

  /** Two leases of the default duration: replicas that have ended count for one, new ones settle. */
  private static final long WARN_AFTER_NANOS = 30_000_000_000L;

  private final String limiter;
  private boolean reported;
  private boolean warned;
  private boolean pending;
  private long pendingSince;

  /** Since when it has been as reported. */
  private long changedAt;

  /** A change to log after the budget's lock is released. */
  record Report(String limiter, @Nullable String why, Level level) {
    void log() {
      log.atLevel(level)
          .addKeyValue("limiter", limiter)
          .addKeyValue("reason", why == null ? "none" : why)
          .log(why == null ? "shared limiter recovered" : "shared limiter degraded");
    }
  }

  Degradation(String limiter) {
    this.limiter = limiter;
  }

  /** Stores the current reason, null when not degraded, and returns the report to log, or null. */
  @Nullable Report now(@Nullable String why, long now) {
    boolean changed = (why != null) != reported;
    if (!changed) {
      pending = false;
      if (why == null || warned || now - changedAt < WARN_AFTER_NANOS) {
        return null;
      }
      warned = true;
      return new Report(limiter, why, Level.WARN);
    }
    if (!pending) {
      pending = true;
      pendingSince = now;
      return null;
    }
    if (now - pendingSince < REPORT_AFTER_NANOS) {
      return null;
    }
    reported = why != null;
    warned = false;
    pending = false;
    changedAt = pendingSince;
    return new Report(limiter, why, Level.INFO);
  }
}
