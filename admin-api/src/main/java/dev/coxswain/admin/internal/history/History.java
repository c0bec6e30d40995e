// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.HistoryStore;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stored history of all replicas: finished operations, audit records of changes, and events. Confined to
 * the admin event loop.
 */
public final class History {

  private static final Logger log = LoggerFactory.getLogger(History.class);
  private static final int MAX_PROBLEM = 512;

  private final ControllerDirectory directory;
  private final JsonWork work;
  private List<HistoryStore.Entry> read = List.of();
  private StoredHistory known = StoredHistory.NONE;

  public History(ControllerDirectory directory, JsonWork work) {
    this.directory = directory;
    this.work = work;
  }

  /** Stores the final part that this replica has of an operation. */
  public void addPart(String id, OperationResource part, Instant at) {
    add(HistoryStore.Kind.OPERATION, at, id, new StoredHistory.Part(directory.replica(), part));
  }

  /**
   * Stores the audit record of a change.
   *
   * @param run the run of this replica
   */
  public void addRecord(String run, AuditResource record, Instant at) {
    add(
        HistoryStore.Kind.AUDIT,
        at,
        "",
        new StoredRecord.Entry(run, record.at(directory.replica())));
  }

  /** Stores an event that this replica has seen. */
  public void addEvent(TimelineEvent event, Instant at) {
    add(HistoryStore.Kind.EVENT, at, "", event);
  }

  private void add(HistoryStore.Kind kind, Instant at, String group, Object entry) {
    Optional<HistoryStore> store = directory.history();
    store.ifPresent(to -> to.add(new HistoryStore.Entry(kind, at, group, Json.text(entry))));
  }

  /** Reads what is stored; never fails. Without an answer it is what was read last. */
  public Future<StoredHistory> read() {
    HistoryStore store = directory.history().orElse(null);
    if (store == null) {
      return Future.succeededFuture(StoredHistory.NONE);
    }
    return store.read().compose(this::parsed).otherwise(cause -> known.with(problem(cause)));
  }

  private Future<StoredHistory> parsed(List<HistoryStore.Entry> entries) {
    if (entries.equals(read)) { // mostly the same list
      return Future.succeededFuture(known);
    }
    return work.run(!entries.isEmpty(), () -> StoredHistory.read(entries))
        .onSuccess(now -> {
          if (now.invalid() > known.invalid()) {
            log.atWarn()
                .addKeyValue("entries", now.invalid())
                .log("stored operations, audit records or events cannot be read, ignored");
          }
          read = entries;
          known = now;
        });
  }

  private static String problem(Throwable cause) {
    @Nullable String message = cause.getMessage();
    return Json.line(
        "operations and audit records from before the last start may be missing: "
            + (message == null ? cause.getClass().getSimpleName() : message),
        MAX_PROBLEM);
  }
}
