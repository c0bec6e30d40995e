// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.audit;

import dev.coxswain.admin.internal.audit.AuditRecord.Field;
import dev.coxswain.admin.internal.history.History;
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
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Audit records of changes and of refusals: each is written to the {@link AuditSink}, and the last
 * ones are kept in memory, and those of changes are added to the {@link History}. Refusals, which anybody with a token can cause, are kept apart: they
 * displace no record of a change, and those of one caller displace few of others. Confined to the
 * admin event loop.
 */
public final class AuditTrail {

  /** The number of records of changes in memory; the sink receives all of them. */
  static final int MAX_RECORDS = 10_000;

  /** The number of records of refusals in memory, and of those the ones of one caller. */
  static final int MAX_REFUSALS = 1_000;

  static final int MAX_REFUSALS_OF_CALLER = 100;

  /** The time limit of a write; a later success counts as a failure. */
  private static final Duration WRITE_LIMIT = Duration.ofSeconds(2);

  private static final String CHANGE = "Admin change";
  private static final String LOGIN = "Admin login refused";
  private static final Logger log = LoggerFactory.getLogger(AuditTrail.class);

  private final Context context;
  private final Clock clock;
  private final AdminPorts ports;
  private final History history;

  /** The run of this replica, which the records are from. */
  private final String run = "%016x".formatted(ThreadLocalRandom.current().nextLong());

  private final ArrayDeque<AuditRecord> changes = new ArrayDeque<>();
  private final ArrayDeque<AuditRecord> refusals = new ArrayDeque<>();
  private final Map<String, Integer> refusalsOf = new HashMap<>();
  private long lastSeq;

  public AuditTrail(Context context, Clock clock, AdminPorts ports, History history) {
    this.context = context;
    this.clock = clock;
    this.ports = ports;
    this.history = history;
  }

  /**
   * Records the intent of a change. When the future fails, with a {@link Rejection}, the change must
   * not be made.
   */
  Future<Void> intent(Map<Field, Object> fields) {
    return write(fields, CHANGE, false)
        .recover(cause -> {
          log.atError()
              .addKeyValue("requestId", fields.get(Field.REQUEST_ID))
              .setCause(cause)
              .log("audit record could not be written; the change is refused");
          return Future.failedFuture(
              Problem.unavailable(
                      "audit-unavailable",
                      "Audit unavailable",
                      "the change could not be recorded, so it was not made")
                  .rejection());
        });
  }

  /**
   * Records the outcome of a request for a change. It has been answered, so a failure is only
   * logged.
   *
   * @param refused whether no intent was recorded before, so that nothing was changed
   */
  void outcome(Map<Field, Object> fields, boolean refused) {
    write(fields, CHANGE, refused)
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
    write(entry.outcomeFields("unauthenticated", 401), LOGIN, true)
        .onFailure(cause ->
            log.atError()
                .addKeyValue("remote", remote)
                .setCause(cause)
                .log("audit record of a refused login could not be written"));
  }

  private Future<Void> write(Map<Field, Object> fields, String message, boolean refused) {
    Instant now = clock.instant();
    Map<String, Object> line = new LinkedHashMap<>();
    fields.forEach((field, value) -> line.put(field.label, value));
    return here(written(new AuditSink.Line(now, message, line)))
        .onComplete((done, failure) -> {
          if (failure != null) {
            ports.telemetry().auditFailed();
            return;
          }
          AuditRecord record = new AuditRecord(++lastSeq, now, fields);
          if (refused) {
            keepRefusal(record);
            return;
          }
          changes.addLast(record);
          history.addRecord(run, record.shown(), now);
          if (changes.size() > MAX_RECORDS) {
            changes.removeFirst();
          }
        });
  }

  private void keepRefusal(AuditRecord record) {
    String caller = record.actor();
    AuditRecord displaced = null;
    if (refusalsOf.getOrDefault(caller, 0) >= MAX_REFUSALS_OF_CALLER) {
      displaced =
          refusals.stream().filter(one -> one.actor().equals(caller)).findFirst().orElse(null);
      refusals.remove(displaced); // the same object is found first
    } else if (refusals.size() >= MAX_REFUSALS) {
      displaced = refusals.pollFirst();
    }
    if (displaced != null) {
      refusalsOf.computeIfPresent(displaced.actor(), (name, n) -> n == 1 ? null : n - 1);
    }
    refusals.addLast(record);
    refusalsOf.merge(caller, 1, Integer::sum);
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

  /** Returns the name of the run of this replica, 16 hexadecimal digits. */
  public String run() {
    return run;
  }

  /** Returns the records of changes in memory, the youngest first, without refusals and previews. */
  public Iterator<AuditRecord> changesYoungestFirst() {
    return changes.descendingIterator();
  }

  /** Returns the records in memory, the youngest first. */
  public Iterator<AuditRecord> youngestFirst() {
    Iterator<AuditRecord> ofChanges = changes.descendingIterator();
    Iterator<AuditRecord> ofRefusals = refusals.descendingIterator();
    return new Iterator<>() {
      private @Nullable AuditRecord change = next(ofChanges);
      private @Nullable AuditRecord refusal = next(ofRefusals);

      private static @Nullable AuditRecord next(Iterator<AuditRecord> records) {
        return records.hasNext() ? records.next() : null;
      }

      @Override
      public boolean hasNext() {
        return change != null || refusal != null;
      }

      @Override
      public AuditRecord next() {
        AuditRecord one = change;
        AuditRecord other = refusal;
        if (one != null && (other == null || one.seq() > other.seq())) {
          change = next(ofChanges);
          return one;
        }
        if (other == null) {
          throw new NoSuchElementException();
        }
        refusal = next(ofRefusals);
        return other;
      }
    };
  }
}
