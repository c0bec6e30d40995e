// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.Item;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.view.FailureKind;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Logs failures of reconcilers: the first in a row of each request, and the first of each kind with
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
  private final FailureKinds kinds = new FailureKinds();

  FailureLog(Logger log, long now) {
    this.log = log;
    this.lastRefill = now;
  }

  /** Logs a failure; returns the kind that holds its stack trace. */
  FailureKind report(
      Item<?> item, ReconcileContext attempt, Failure failure, String how, long now) {
    FailureKinds.Found found = kinds.of(failure);
    boolean first = item.failures() == 0 || found.isNew();
    boolean warn = first && take(now);
    boolean debug = log.isDebugEnabled();
    if (!warn) {
      suppressed += first ? 1 : 0;
      if (!debug) {
        if (found.isNew()) {
          kinds.forget(failure); // the next one of its kind is logged instead
        }
        return found.kind();
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
    if (debug || found.isNew()) {
      event = event.addKeyValue("stacktrace", found.kind().stack());
    }
    event.log("reconcile failed");
    return found.kind();
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
