// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.cluster.ContinueToken.Part;
import dev.coxswain.admin.internal.cluster.ContinueToken.Progress;
import dev.coxswain.admin.internal.history.AuditList;
import dev.coxswain.admin.internal.history.AuditResource;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.StoredHistory;
import dev.coxswain.admin.internal.history.StoredRecord;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.AuditFilter;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.internal.resource.Items;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The audit records of all replicas as one list, the youngest first. Confined to the admin event
 * loop.
 *
 * <p>Records of one replica keep their order; records of different replicas are ordered by time. A
 * list reads the replicas of its first page. Its position has the position of each replica, so no
 * record is returned twice. A replica without an answer is left out from then on, and all further
 * pages are partial: its records would come too late for the order.
 *
 * <p>Stored records of replicas that have ended are between them. They are a part of their own, whose
 * position is the inner one of the token; those of a replica that answers are left to it.
 */
public final class ClusterAudits {

  /** The inner position when all stored records have been read, or none are wanted. */
  private static final String NO_MORE = "end";

  /** Stored records name their replicas. */
  private static final String STORED = "";

  private final Cluster cluster;
  private final Endpoint.Handler local;
  private final History history;

  public ClusterAudits(Cluster cluster, Endpoint.Handler local, History history) {
    this.cluster = cluster;
    this.local = local;
    this.history = history;
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Query query = context.query();
    int limit = query.number("limit", 1, Audits.MAX_LIMIT, Items.DEFAULT_LIMIT);
    String from = query.text(ContinueToken.CONTINUE, ContinueToken.MAX);
    AuditFilter filter = AuditFilter.read(query);
    query.check();
    String list = ContinueToken.listOf(context.below(), context.rawQuery());
    ContinueToken position = from == null ? begin(list, scope) : decode(from, list);
    Future<StoredHistory> stored =
        NO_MORE.equals(position.inner())
            ? Future.succeededFuture(StoredHistory.NONE)
            : history.read();
    return read(context, position, limit)
        .compose(answers -> {
          if (answers.stream().noneMatch(PeerAnswer::found) && position.current().isPresent()) {
            throw notFound(answers);
          }
          return stored.map(all -> page(position, answers, all, filter, limit));
        });
  }

  /** Reads a position; it becomes a part of requests to other replicas, so its parts are checked. */
  private static ContinueToken decode(String text, String list) {
    ContinueToken position = ContinueToken.decode(text, list);
    String inner = position.inner();
    if (position.parts().stream().anyMatch(part -> !Audits.isPosition(part.run()))
        || (inner != null
            && !inner.equals(NO_MORE)
            && StoredRecord.Position.parse(inner).isEmpty())) {
      throw ContinueToken.invalid();
    }
    return position;
  }

  private ContinueToken begin(String list, ClusterScope scope) {
    List<Part> parts = new ArrayList<>();
    if (scope.covers(cluster.self())) {
      parts.add(new Part(cluster.self(), "", Progress.OPEN));
    }
    cluster.others(scope).forEach(peer -> parts.add(new Part(peer.replica(), "", Progress.OPEN)));
    return new ContinueToken(list, parts, scope.equals(ClusterScope.ALL) ? null : NO_MORE, "");
  }

  /** Reads the next records of each incomplete replica; the answers are ordered by name. */
  private Future<List<PeerAnswer>> read(RequestContext context, ContinueToken position, int limit) {
    String query = context.rawQuery();
    Map<String, String> queries = new HashMap<>();
    List<Peer> others = new ArrayList<>();
    List<PeerAnswer> left = new ArrayList<>();
    for (Part part : position.parts()) {
      if (part.progress() == Progress.OPEN) {
        queries.put(part.replica(), ContinueToken.query(query, limit, part.run()));
        if (!part.replica().equals(cluster.self())) {
          cluster
              .other(part.replica())
              .ifPresentOrElse(others::add, () -> left.add(PeerAnswer.left(part.replica())));
        }
      }
    }
    return cluster
        .requestAll(
            context,
            queries.containsKey(cluster.self()),
            own -> {
              own.rewrite(queries.getOrDefault(cluster.self(), ""));
              return local.handle(own);
            },
            others,
            peer ->
                cluster.get(
                    peer, context, queries.getOrDefault(peer.replica(), ""), AuditList.class))
        .map(answers -> {
          List<PeerAnswer> all = new ArrayList<>(left);
          for (PeerAnswer answer : answers) {
            all.add(
                answer.slug().equals("cursor-expired")
                    ? answer.refused("it has restarted and no longer has its records")
                    : answer);
          }
          all.sort(Comparator.comparing(PeerAnswer::replica));
          return all;
        });
  }

  /** Returns the response when no replica has answered with records. */
  private static Rejection notFound(List<PeerAnswer> answers) {
    return answers.stream()
        .filter(answer -> answer.status() == 410 || answer.slug().startsWith("invalid-"))
        .findFirst()
        .map(answer -> answer.relayed().rejection())
        .orElseGet(() -> Cluster.notFound(answers));
  }

  private Response page(
      ContinueToken position,
      List<PeerAnswer> answers,
      StoredHistory history,
      AuditFilter filter,
      int limit) {
    Map<String, PeerAnswer> byName = new HashMap<>();
    answers.forEach(answer -> byName.put(answer.replica(), answer));
    List<StoredRecord> stored = stored(position, answers, history, filter);
    List<PeerAnswer> all = new ArrayList<>(answers);
    all.add(answer(stored, limit));
    List<AuditResource> items = new ArrayList<>();
    Map<String, Integer> taken = merge(all, items, limit);
    List<Part> parts = new ArrayList<>();
    List<PeerAnswer> states = new ArrayList<>();
    for (Part part : position.parts()) {
      PeerAnswer answer = byName.get(part.replica());
      if (answer == null) {
        parts.add(part);
        states.add(part.state());
      } else {
        states.add(answer);
        parts.add(
            answer.found()
                ? next(answer, taken.getOrDefault(part.replica(), 0))
                : Part.missing(part.replica()));
      }
    }
    String inner =
        NO_MORE.equals(position.inner())
            ? NO_MORE
            : after(stored, taken.getOrDefault(STORED, 0), items, position.inner(), history);
    ContinueToken next = new ContinueToken(position.list(), parts, inner, "");
    boolean more = next.current().isPresent() || taken.getOrDefault(STORED, 0) < stored.size();
    String problem = history.problem();
    return Response.ok(
        new AuditList(items, more ? next.encode() : null)
            .marked(
                cluster.self(),
                states.stream().anyMatch(answer -> !answer.whole()),
                PeerAnswer.states(states))
            .withStored(problem));
  }

  /** Returns the stored records after a position, without those of replicas that list their own. */
  private static List<StoredRecord> stored(
      ContinueToken position, List<PeerAnswer> answers, StoredHistory history, AuditFilter filter) {
    Set<String> runs = new HashSet<>();
    for (PeerAnswer answer : answers) {
      if (answer.found()) {
        runs.add(runOf(answer));
      }
    }
    for (Part part : position.parts()) {
      if (part.progress() == Progress.DONE) {
        runs.add(Audits.run(part.run()));
      }
    }
    String inner = position.inner();
    StoredRecord.Position from =
        inner == null ? null : StoredRecord.Position.parse(inner).orElse(null);
    return history.after(from, runs).stream()
        .filter(record ->
            !filter.isTooOld(record.position().at())
                && filter.matches(
                    record.text("actor"),
                    record.text("action"),
                    record.text("controller"),
                    record.text("requestId")))
        .toList();
  }

  private static PeerAnswer answer(List<StoredRecord> stored, int limit) {
    return PeerAnswer.ok(
        STORED,
        200,
        new AuditList(stored.stream().limit(limit).map(StoredRecord::json).toList(), null));
  }

  /** Returns the position in the stored records after a page. */
  private static @Nullable String after(
      List<StoredRecord> stored,
      int taken,
      List<AuditResource> items,
      @Nullable String before,
      StoredHistory history) {
    if (taken == stored.size() && history.problem() == null && items.isEmpty()) {
      return NO_MORE;
    }
    if (items.isEmpty()) {
      return before;
    }
    // What a replica had that ends before the next page must not come again.
    Instant last = items.getLast().at();
    StoredRecord.Position position =
        taken > 0 && stored.get(taken - 1).json().at().equals(last)
            ? stored.get(taken - 1).position()
            : StoredRecord.Position.before(last);
    return position.toString();
  }

  /** The records of one replica, and how many of them are in the page. */
  private static final class Line {
    final String replica;
    private final List<AuditResource> records;
    int taken;
    Instant at = Instant.MIN;

    Line(PeerAnswer answer) {
      this.replica = answer.replica();
      this.records = answer.as(AuditList.class).items();
      peek();
    }

    boolean hasMore() {
      return taken < records.size();
    }

    AuditResource take() {
      AuditResource record = records.get(taken++);
      peek();
      return record.replica() == null ? record.at(replica) : record;
    }

    private void peek() {
      at = hasMore() ? records.get(taken).at() : Instant.MIN;
    }
  }

  /** Adds the latest records to the page; returns the number of records by replica. */
  private static Map<String, Integer> merge(
      List<PeerAnswer> answers, List<AuditResource> items, int limit) {
    PriorityQueue<Line> lines =
        new PriorityQueue<>(
            Comparator.comparing((Line line) -> line.at)
                .reversed()
                .thenComparing(line -> line.replica));
    Map<String, Integer> taken = new HashMap<>();
    answers.stream()
        .filter(PeerAnswer::found)
        .map(Line::new)
        .filter(Line::hasMore)
        .forEach(lines::add);
    for (Line youngest = lines.poll(); youngest != null; youngest = lines.poll()) {
      items.add(youngest.take());
      taken.put(youngest.replica, youngest.taken);
      if (items.size() == limit) {
        break;
      }
      if (youngest.hasMore()) {
        lines.add(youngest);
      }
    }
    return taken;
  }

  /** Returns the position of a replica after some of the records of its answer. */
  private static Part next(PeerAnswer answer, int taken) {
    AuditList list = answer.as(AuditList.class);
    List<AuditResource> records = list.items();
    String replica = answer.replica();
    if (taken == records.size()) {
      String position = list.next();
      return position == null
          ? new Part(replica, Audits.position(runOf(answer), 0), Progress.DONE)
          : new Part(replica, position, Progress.OPEN);
    }
    // A position before all records of the answer excludes younger ones.
    long before = taken == 0 ? records.getFirst().seq() + 1 : records.get(taken - 1).seq();
    return new Part(replica, Audits.position(runOf(answer), before), Progress.OPEN);
  }

  private static String runOf(PeerAnswer answer) {
    String run = answer.as(AuditList.class).run();
    return run == null ? "" : run;
  }
}
