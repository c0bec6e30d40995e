// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Decides when to log that a limiter is degraded and when it has recovered: once each, and only if
 * the state lasts a second. A single late reply is only counted. Until a limiter has once been
 * complete its replica is starting, which takes some seconds each time and is no fault.
 *
 * <p>Thread rule: guarded by the budget, except {@link Report#log}, which is called without the
 * lock.
 */
final class Degradation {
  private static final Logger log = LoggerFactory.getLogger(Degradation.class);
  private static final long REPORT_AFTER_NANOS = 1_000_000_000;

  /** Two default leases: the Lease of a replica that was killed, and the settling time after it. */
  private static final long START_NANOS = 30_000_000_000L;

  private final String limiter;
  private boolean complete;
  private boolean reported;
  private boolean pending;
  private long changedAt;

  /** A change to log after the budget's lock is released. */
  record Report(String limiter, @Nullable String why) {
    void log() {
      log.atLevel(why == null ? Level.INFO : Level.WARN)
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
    complete |= why == null;
    boolean changed = (why != null) != reported;
    if (!changed || !pending) {
      pending = changed;
      changedAt = now;
      return null;
    }
    if (now - changedAt < (complete ? REPORT_AFTER_NANOS : START_NANOS)) {
      return null;
    }
    reported = why != null;
    pending = false;
    return new Report(limiter, why);
  }
}
