// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports that a limiter runs without its pool, and that it works again: once each, and only what
 * lasts. A single late answer is shown by the counters and is no news.
 *
 * <p>Thread rule: guarded by the budget, but for {@link Report#log}, which is for outside.
 */
final class Degradation {
  private static final Logger log = LoggerFactory.getLogger(Degradation.class);
  private static final long LASTS_NANOS = 1_000_000_000;

  private final String limiter;
  private boolean reported;
  private boolean pending;
  private long changedAt;

  /** Something to be said once the budget's lock is free again. */
  record Report(String limiter, @Nullable String why) {
    void log() {
      log.atLevel(why == null ? Level.INFO : Level.WARN)
          .addKeyValue("limiter", limiter)
          .addKeyValue("reason", why == null ? "none" : why)
          .log(why == null ? "shared limiter works again" : "shared limiter is degraded");
    }
  }

  Degradation(String limiter) {
    this.limiter = limiter;
  }

  /** Takes what is the case now, null when all is well, and returns what to report, or null. */
  @Nullable Report now(@Nullable String why, long now) {
    boolean changed = (why != null) != reported;
    if (!changed || !pending) {
      pending = changed;
      changedAt = now;
      return null;
    }
    if (now - changedAt < LASTS_NANOS) {
      return null;
    }
    reported = why != null;
    pending = false;
    return new Report(limiter, why);
  }
}
