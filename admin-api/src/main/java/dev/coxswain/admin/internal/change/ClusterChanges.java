// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.internal.cluster.ClusterAudits;
import dev.coxswain.admin.internal.history.AuditList;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.RequestTarget;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.resource.AuditFilter;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.internal.resource.Items;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The changes of all replicas as one list, the youngest first: one row for each request, joined from the
 * list of audit records. Confined to the admin event loop.
 */
public final class ClusterChanges {

  /** So many pages of the audit are read for one page of changes; a page can be shorter. */
  private static final int MAX_PAGES = 10;

  private static final int MIN_RECORDS = 50;
  private static final int RECORDS_EACH = 4;

  /** The parameters that are not those of the audit. */
  private static final Set<String> OWN =
      Set.of("limit", "continue", "actor", "action", "mine", "undoable");

  private static final RequestTarget.Rerouted AUDIT =
      new RequestTarget.Rerouted(HttpMethod.GET, "/audit", Map.of());

  private final ClusterAudits audits;
  private final Clock clock;
  private final JsonWork work;

  public ClusterChanges(ClusterAudits audits, Clock clock, JsonWork work) {
    this.audits = audits;
    this.clock = clock;
    this.work = work;
  }

  /**
   * Computes something from what was read, on a worker thread if that is long: it reads the states in the
   * records. Nothing else uses the walk meanwhile.
   */
  <T> Future<T> read(ChangeWalk walk, Callable<T> what) {
    return work.run(JsonWork.isLong(walk.records()), what);
  }

  public Future<Response> list(RequestContext context) {
    Query query = context.query();
    query.text("scope", 20);
    query.text("replica", 253);
    int limit = query.number("limit", 1, Audits.MAX_LIMIT, Items.DEFAULT_LIMIT);
    AuditFilter filter = AuditFilter.read(query);
    String action = filter.action();
    if (action != null && !Audits.actions().contains(action)) {
      query.fault(
          "action", "must be an action of the audit, found \"" + Json.line(action, 64) + "\"");
    }
    if (filter.requestId() != null) {
      query.fault("requestId", "is a parameter of /audit only");
    }
    boolean mine = flag(query, "mine");
    boolean undoable = flag(query, "undoable");
    String from = query.text("continue", ChangeToken.MAX);
    query.done();
    ChangeToken position = from == null ? ChangeToken.BEGIN : ChangeToken.decode(from);
    String caller = context.actor();
    Predicate<ChangeRecord> wanted =
        change ->
            (action == null || action.equals(change.action()))
                && (filter.actor() == null || filter.actor().equals(change.actor()))
                && (!mine || caller.equals(change.actor()))
                && (!undoable || change.isUndoable());
    int records = Math.clamp((long) limit * RECORDS_EACH, MIN_RECORDS, Audits.MAX_LIMIT);
    String ofAudit = Query.without(context.rawQuery(), OWN);
    ChangeWalk walk = new ChangeWalk(position, clock.instant());
    return read(context, walk, join(ofAudit, "limit=" + records), limit, wanted, 1, null);
  }

  private static boolean flag(Query query, String name) {
    String value = query.text(name, 10);
    if (value != null && !value.equals("true") && !value.equals("false")) {
      query.fault(name, "must be true or false, found \"" + value + "\"");
    }
    return "true".equals(value);
  }

  static String join(String query, String more) {
    return query.isEmpty() ? more : query + "&" + more;
  }

  private record Joined(AuditList audit, ChangeWalk.Page page) {}

  /** Reads pages of the audit until the page of changes is full, and has all of their records. */
  private Future<Response> read(
      RequestContext context,
      ChangeWalk walk,
      String query,
      int limit,
      Predicate<ChangeRecord> wanted,
      int pages,
      @Nullable AuditList first) {
    return page(context, walk, query)
        .compose(audit -> read(walk, () -> new Joined(audit, walk.page(limit, wanted))))
        .compose(joined -> {
          AuditList audit = joined.audit();
          AuditList states = first == null ? audit : first;
          ChangeWalk.Page page = joined.page();
          boolean isFull = page.items().size() == limit;
          if (walk.hasEnded() || pages >= MAX_PAGES || (isFull && page.isWhole())) {
            ChangeToken next = page.next();
            return Future.succeededFuture(
                Response.ok(
                    ChangeList.of(
                        page.items(),
                        next == null ? null : next.encode(),
                        states,
                        Boolean.TRUE.equals(audit.partial()))));
          }
          // A full page waits for the rest of its changes for one more page only: the intent of a
          // long
          // operation can be far away.
          return read(context, walk, query, limit, wanted, isFull ? MAX_PAGES : pages + 1, states);
        });
  }

  /** Reads the next page of the audit. */
  Future<AuditList> page(RequestContext context, ChangeWalk walk, String query) {
    String from = walk.next();
    context.target().reroute(AUDIT, from.isEmpty() ? query : join(query, "continue=" + from));
    return audits
        .list(context)
        .map(response -> {
          AuditList audit = (AuditList) Objects.requireNonNull(response.body());
          walk.add(audit.items(), audit.next());
          return audit;
        });
  }
}
