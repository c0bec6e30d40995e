// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.audit.AuditRecord;
import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.admin.internal.cause.CauseResource;
import dev.coxswain.admin.internal.cause.Causes;
import dev.coxswain.admin.internal.history.AuditResource;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.notice.Notices;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The timeline of this replica: what it has seen, the changes that were requested from it, and the
 * causes that its controllers have failed of. Confined to the admin event loop.
 */
public final class Timeline {

  /** How long a cause may take to be read, so that a blocked controller hides nothing else. */
  private static final Duration CAUSES = Duration.ofMillis(500);

  private static final int MAX_MESSAGE = 512;

  /** So many audit records are looked at, so that a filter that matches none does not take long. */
  private static final int MAX_RECORDS = 2_000;

  private final ControllerDirectory directory;
  private final TimelineLog log;
  private final TimelineWatch watch;
  private final AuditTrail trail;
  private final AccessHandler access;
  private final JsonWork work;

  public Timeline(
      ControllerDirectory directory,
      History history,
      AuditTrail trail,
      AccessHandler access,
      JsonWork work,
      Notices notices,
      Clock clock) {
    this.directory = directory;
    this.log = new TimelineLog(directory, history, clock);
    this.watch = new TimelineWatch(directory, log, notices, clock);
    this.trail = trail;
    this.access = access;
    this.work = work;
  }

  /** Loads what writing an event needs. Blocks, on any thread. */
  public static void loadAhead() {
    Json.write(new TimelineEvent(Instant.EPOCH, "", "", "", "", "", List.of("")));
  }

  /**
   * Compares the state of this replica with that of the last call. The first one writes nothing, and
   * needs nothing that is loaded ahead.
   */
  public void look() {
    watch.look();
  }

  /**
   * Lists the events of this replica, the youngest first.
   *
   * @param causes the causes of its controllers
   */
  Future<Response> list(RequestContext context, Causes causes) {
    Query wanted = context.query();
    TimelineQuery query = TimelineQuery.of(wanted);
    wanted.done();
    List<TimelineEvent> events = new ArrayList<>(log.youngestFirst());
    if (query.wants(TimelineType.CHANGE)) {
      changes(query, events);
    }
    // The time of a cause is that of the replica that has seen it first, which the merge decides.
    TimelineQuery mine = query.withoutTimeOfCauses();
    return causes(context, query, causes)
        .compose(all ->
            work.run(
                JsonWork.isLong(all.size() + events.size()),
                () -> {
                  all.stream()
                      .filter(cause -> cause.failures() > 0) // others have come with their slot
                      .forEach(cause -> events.add(of(cause)));
                  return Response.ok(newest(events, mine, false, null));
                }));
  }

  /** Returns the causes, if they are wanted and the caller may read them: they have texts of items. */
  private Future<List<CauseResource>> causes(
      RequestContext context, TimelineQuery query, Causes causes) {
    return query.wants(TimelineType.CAUSE_FIRST_SEEN)
        ? access
            .permit(context.principal(), new AccessRequest(Verb.LIST, Access.ITEMS, "", ""))
            .compose(_ -> causes.all(CAUSES))
            .recover(refused ->
                refused instanceof Rejection
                    ? Future.succeededFuture(List.of())
                    : Future.failedFuture(refused))
        : Future.succeededFuture(List.of());
  }

  /**
   * Returns the youngest events that match.
   *
   * @param more whether some are left out already
   */
  static TimelineList newest(
      List<TimelineEvent> events, TimelineQuery query, boolean more, @Nullable String problem) {
    List<TimelineEvent> matching =
        events.stream()
            .filter(query::matches)
            .sorted(Comparator.comparing(TimelineEvent::at).reversed())
            .toList();
    return TimelineList.of(
        more || matching.size() > query.limit(),
        matching.stream().limit(query.limit()).toList(),
        problem);
  }

  private void changes(TimelineQuery query, List<TimelineEvent> events) {
    Iterator<AuditRecord> records = trail.changesYoungestFirst();
    int left = query.limit() + 1;
    for (int seen = 0; seen < MAX_RECORDS && records.hasNext() && left > 0; seen++) {
      AuditRecord record = records.next();
      if (query.isTooOld(record.at())) {
        return;
      }
      TimelineEvent event = of(record.shown(), directory.replica());
      if (event != null && query.matches(event)) {
        events.add(event);
        left--;
      }
    }
  }

  /**
   * Returns the event of a change that was made; null for one of a single item, of which there may be
   * thousands, for an intent, for a refusal, and for what was so already.
   */
  static @Nullable TimelineEvent of(AuditResource record, String replica) {
    boolean isMade =
        record.text("stage").equals("outcome")
            && !record.text("result").equals(ChangedValue.SKIPPED)
            && record.fields().get("status") instanceof Number status
            && status.intValue() < 400;
    if (!isMade || !record.text("item").isEmpty()) {
      return null;
    }
    String controller = record.text("controller");
    String change = record.shownChange();
    String of = record.text("limiter") + record.text("plugin") + record.text("operation");
    String reason = record.text("reason");
    return new TimelineEvent(
        record.at(),
        TimelineType.CHANGE.label(),
        controller.isEmpty() ? null : controller,
        record.text("requestId"),
        Json.line(
            record.text("action")
                + (of.isEmpty() ? "" : " " + of)
                + (change.isEmpty() ? "" : " (" + change + ")")
                + (reason.isEmpty() ? "" : ": " + reason),
            MAX_MESSAGE),
        record.text("actor"),
        List.of(replica));
  }

  private TimelineEvent of(CauseResource cause) {
    return new TimelineEvent(
        cause.firstSeen(),
        TimelineType.CAUSE_FIRST_SEEN.label(),
        cause.controller(),
        cause.id(),
        cause.error(),
        null,
        List.of(directory.replica()));
  }
}
