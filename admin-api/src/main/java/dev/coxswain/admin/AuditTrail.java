// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.time.Clock;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps who wanted to change what, and what became of it: one line to the logger {@code audit}, and
 * the last ones in memory. Confined to the admin event loop.
 */
final class AuditTrail {

  /** How many records are kept in memory; the logger has them all. */
  static final int MAX_RECORDS = 10_000;

  private static final Logger AUDIT = LoggerFactory.getLogger("audit");
  private static final Logger log = LoggerFactory.getLogger(AuditTrail.class);

  private final Clock clock;
  private final ArrayDeque<AuditRecord> records = new ArrayDeque<>();
  private long lastSeq;

  AuditTrail(Clock clock) {
    this.clock = clock;
  }

  /** Records what is about to be done; when that fails it must not be done. */
  void intent(AuditRecord record) {
    try {
      write(record);
    } catch (RuntimeException e) {
      log.atError()
          .addKeyValue("requestId", record.requestId())
          .setCause(e)
          .log("Audit record could not be written; the change is refused");
      throw Problem.of(
              503,
              "audit-unavailable",
              "Audit unavailable",
              "the change could not be recorded, so it was not made")
          .with("Retry-After", "1")
          .rejection();
    }
  }

  /** Records what became of it; it has happened, so a failure can only be told. */
  void outcome(AuditRecord record) {
    try {
      write(record);
    } catch (RuntimeException e) {
      log.atError()
          .addKeyValue("requestId", record.requestId())
          .addKeyValue("result", record.result())
          .setCause(e)
          .log("Audit record of a change that was made could not be written");
    }
  }

  private void write(AuditRecord what) {
    AuditRecord record = what.numbered(++lastSeq, clock.instant());
    var line =
        AUDIT
            .atInfo()
            .addKeyValue("stage", record.stage().label())
            .addKeyValue("actor", record.actor())
            .addKeyValue("groups", record.groups())
            .addKeyValue("action", record.action())
            .addKeyValue("controller", record.controller())
            .addKeyValue("item", record.item())
            .addKeyValue("reason", record.reason());
    if (!record.operation().isEmpty()) {
      line = line.addKeyValue("operation", record.operation());
    }
    if (!record.selector().isEmpty()) {
      line = line.addKeyValue("selector", record.selector());
    }
    if (!record.limiter().isEmpty()) {
      line = line.addKeyValue("limiter", record.limiter());
    }
    if (!record.change().isEmpty()) {
      line = line.addKeyValue("change", record.change());
    }
    if (record.matched() >= 0) {
      line = line.addKeyValue("matched", record.matched());
    }
    if (record.applied() >= 0) {
      line = line.addKeyValue("applied", record.applied());
    }
    if (record.stage() == AuditRecord.Stage.OUTCOME) {
      line = line.addKeyValue("result", record.result()).addKeyValue("status", record.status());
    }
    line.addKeyValue("requestId", record.requestId())
        .addKeyValue("remote", record.remote())
        .log("Admin change");
    records.addLast(record);
    if (records.size() > MAX_RECORDS) {
      records.removeFirst();
    }
  }

  /** Returns the records that are kept, the youngest first. */
  Iterator<AuditRecord> youngestFirst() {
    return records.descendingIterator();
  }
}
