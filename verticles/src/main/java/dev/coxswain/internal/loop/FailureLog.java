// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.internal.cause.FailureCauses;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.reconcile.ReconcileContext;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Logs failures of reconcilers: the first in a row of each request, and the first of each cause with
 * its stack trace, as a warning, at a limited rate; all others at debug level, each with its stack
 * trace.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class FailureLog {
  private static final int BURST = 10;
  private static final long INTERVAL_NANOS = 1_000_000_000;

  private final Logger log;
  private long lastRefill;
  private int tokens = BURST;
  private long suppressed;
  private final FailureCauses causes;

  FailureLog(Logger log, FailureCauses causes, long now) {
    this.log = log;
    this.causes = causes;
    this.lastRefill = now;
  }

  /** Logs a failure of a cause. */
  void report(
      Item<?> item,
      ReconcileContext attempt,
      Failure failure,
      FailureCause cause,
      String how,
      long now) {
    boolean isNew = !cause.isLogged();
    boolean first = item.failures() == 0 || isNew;
    boolean warn = first && take(now);
    boolean debug = log.isDebugEnabled();
    if (cause.stack() == null) {
      causes.keepStack(cause, StackText.of(failure.cause()));
    }
    if (!warn) {
      suppressed += first ? 1 : 0;
      if (!debug) {
        return;
      }
    }
    var event = log.atLevel(warn ? Level.WARN : Level.DEBUG);
    for (Map.Entry<String, Object> field : attempt.logFields().entrySet()) {
      event = event.addKeyValue(field.getKey(), field.getValue());
    }
    event =
        event
            .addKeyValue("failures", item.failures() + 1)
            .addKeyValue("kind", how)
            .addKeyValue("error", failure.text());
    if (warn && suppressed > 0) {
      event = event.addKeyValue("suppressed", suppressed);
      suppressed = 0;
    }
    if (debug || isNew) {
      event = event.addKeyValue("stacktrace", cause.stack());
    }
    event.log("reconcile failed");
    cause.logged();
  }

  private boolean take(long now) {
    long refills = (now - lastRefill) / INTERVAL_NANOS;
    if (refills > 0) {
      tokens = (int) Math.min(BURST, tokens + refills);
      lastRefill += refills * INTERVAL_NANOS;
    }
    if (tokens == 0) {
      return false;
    }
    tokens--;
    return true;
  }
}
