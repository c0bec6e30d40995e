// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.AuditSink;
import dev.coxswain.spi.Clock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Audit records of changes and of refused logins: each is written to the {@link AuditSink}, and the
 * last ones are kept in memory. Confined to the admin event loop.
 */
public final class AuditTrail {

  /** How many records are kept in memory; the sink has them all. */
  static final int MAX_RECORDS = 10_000;

  /** A record that is not written by then is not written. */
  private static final Duration WRITE_LIMIT = Duration.ofSeconds(2);

  private static final String CHANGE = "Admin change";
  private static final String LOGIN = "Admin login refused";
  private static final Logger log = LoggerFactory.getLogger(AuditTrail.class);

  private final Context context;
  private final Clock clock;
  private final AdminPorts ports;
  private final ArrayDeque<AuditRecord> records = new ArrayDeque<>();
  private long lastSeq;

  public AuditTrail(Context context, Clock clock, AdminPorts ports) {
    this.context = context;
    this.clock = clock;
    this.ports = ports;
  }

  /**
   * Records what is about to be done. When the future fails, with a {@link Rejection}, it must not
   * be done.
   */
  Future<Void> intent(AuditRecord record) {
    return write(record, CHANGE)
        .recover(cause -> {
          log.atError()
              .addKeyValue("requestId", record.requestId())
              .setCause(cause)
              .log("Audit record could not be written; the change is refused");
          return Future.failedFuture(
              Problem.of(
                      503,
                      "audit-unavailable",
                      "Audit unavailable",
                      "the change could not be recorded, so it was not made")
                  .with("Retry-After", "1")
                  .rejection());
        });
  }

  /** Records what became of it; it has happened, so a failure is only reported. */
  void outcome(AuditRecord record) {
    write(record, CHANGE)
        .onFailure(cause ->
            log.atError()
                .addKeyValue("requestId", record.requestId())
                .addKeyValue("result", record.result())
                .setCause(cause)
                .log("Audit record of a change that was made could not be written"));
  }

  /**
   * Records refused logins of one address.
   *
   * @param count how many since its last record
   */
  public void refusedLogin(String remote, long count) {
    AuditRecord record =
        new AuditRecord(
            0,
            Instant.EPOCH,
            AuditRecord.Stage.OUTCOME,
            "",
            "",
            "login",
            "",
            "",
            "",
            "",
            "",
            "{\"refused\":" + count + "}",
            "",
            -1,
            -1,
            "unauthenticated",
            401,
            "",
            remote);
    write(record, LOGIN)
        .onFailure(cause ->
            log.atError()
                .addKeyValue("remote", remote)
                .setCause(cause)
                .log("Audit record of a refused login could not be written"));
  }

  private Future<Void> write(AuditRecord record, String message) {
    Instant now = clock.instant();
    return here(written(new AuditSink.Line(now, message, fields(record))))
        .onComplete((done, failure) -> {
          if (failure != null) {
            ports.telemetry().auditFailed();
            return;
          }
          records.addLast(record.numbered(++lastSeq, now));
          if (records.size() > MAX_RECORDS) {
            records.removeFirst();
          }
        });
  }

  private Future<Void> written(AuditSink.Line line) {
    try {
      return ports.audit().write(line);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  /** Brings the end of a write to the admin event loop, within its limit. */
  private Future<Void> here(Future<Void> written) {
    if (written.isComplete()) {
      return written;
    }
    Promise<Void> here = Promise.promise();
    long timer =
        context
            .owner()
            .setTimer(
                WRITE_LIMIT.toMillis(),
                late -> here.tryFail("not written within " + WRITE_LIMIT.toSeconds() + " s"));
    written.onComplete((done, failure) ->
        context.runOnContext(hop -> {
          context.owner().cancelTimer(timer);
          if (failure == null) {
            here.tryComplete();
          } else {
            here.tryFail(failure);
          }
        }));
    return here.future();
  }

  private static Map<String, Object> fields(AuditRecord record) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("stage", record.stage().label());
    fields.put("actor", record.actor());
    fields.put("groups", record.groups());
    fields.put("action", record.action());
    fields.put("controller", record.controller());
    fields.put("item", record.item());
    fields.put("reason", record.reason());
    putText(fields, "operation", record.operation());
    putText(fields, "selector", record.selector());
    putText(fields, "limiter", record.limiter());
    putText(fields, "change", record.change());
    if (record.matched() >= 0) {
      fields.put("matched", record.matched());
    }
    if (record.applied() >= 0) {
      fields.put("applied", record.applied());
    }
    if (record.stage() == AuditRecord.Stage.OUTCOME) {
      fields.put("result", record.result());
      fields.put("status", record.status());
    }
    fields.put("requestId", record.requestId());
    fields.put("remote", record.remote());
    return fields;
  }

  private static void putText(Map<String, Object> fields, String name, String value) {
    if (!value.isEmpty()) {
      fields.put(name, value);
    }
  }

  /** Returns the records that are kept, the youngest first. */
  public Iterator<AuditRecord> youngestFirst() {
    return records.descendingIterator();
  }
}
