// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import dev.coxswain.admin.internal.audit.AuditRecord.Field;
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

  /** The number of records in memory; the sink receives all of them. */
  static final int MAX_RECORDS = 10_000;

  /** The time limit of a write; a later success counts as a failure. */
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
   * Records the intent of a change. When the future fails, with a {@link Rejection}, the change must
   * not be made.
   */
  Future<Void> intent(Map<Field, Object> fields) {
    return write(fields, CHANGE)
        .recover(cause -> {
          log.atError()
              .addKeyValue("requestId", fields.get(Field.REQUEST_ID))
              .setCause(cause)
              .log("audit record could not be written; the change is refused");
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

  /** Records the outcome of a change. The change has been made, so a failure is only logged. */
  void outcome(Map<Field, Object> fields) {
    write(fields, CHANGE)
        .onFailure(cause ->
            log.atError()
                .addKeyValue("requestId", fields.get(Field.REQUEST_ID))
                .addKeyValue("result", fields.get(Field.RESULT))
                .setCause(cause)
                .log("audit record of a change that was made could not be written"));
  }

  /**
   * Records refused logins of one address.
   *
   * @param count the number since the last record of the address
   */
  public void refusedLogin(String remote, long count) {
    AuditEntry entry = new AuditEntry(this, "", remote);
    entry.action("login");
    entry.change("{\"refused\":" + count + "}");
    write(entry.outcomeFields("unauthenticated", 401), LOGIN)
        .onFailure(cause ->
            log.atError()
                .addKeyValue("remote", remote)
                .setCause(cause)
                .log("audit record of a refused login could not be written"));
  }

  private Future<Void> write(Map<Field, Object> fields, String message) {
    Instant now = clock.instant();
    Map<String, Object> line = new LinkedHashMap<>();
    fields.forEach((field, value) -> line.put(field.label, value));
    return here(written(new AuditSink.Line(now, message, line)))
        .onComplete((done, failure) -> {
          if (failure != null) {
            ports.telemetry().auditFailed();
            return;
          }
          records.addLast(new AuditRecord(++lastSeq, now, fields));
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

  /** Returns the result of a write on the admin event loop, within its time limit. */
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

  /** Returns the records in memory, the youngest first. */
  public Iterator<AuditRecord> youngestFirst() {
    return records.descendingIterator();
  }
}
