// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.cluster.ContinueToken.Part;
import dev.coxswain.admin.internal.cluster.ContinueToken.Progress;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.internal.resource.Items;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The audit records of all replicas as one list, the youngest first. Confined to the admin event
 * loop.
 *
 * <p>Records of one replica keep their order; records of different replicas are ordered by time. A
 * list reads the replicas of its first page. Its position has the position of each replica, so no
 * record is returned twice. A replica without an answer is left out from then on, and all further
 * pages are partial: its records would come too late for the order.
 */
public final class ClusterAudits {

  private static final String ITEMS = "items";

  private final Cluster cluster;
  private final Endpoint.Handler local;

  public ClusterAudits(Cluster cluster, Endpoint.Handler local) {
    this.cluster = cluster;
    this.local = local;
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Query query = context.query();
    int limit = query.number("limit", 1, Audits.MAX_LIMIT, Items.DEFAULT_LIMIT);
    String from = query.text(ContinueToken.CONTINUE, ContinueToken.MAX);
    query.check();
    ContinueToken position = from == null ? begin(scope) : decode(from);
    return read(context, position, limit)
        .map(answers -> {
          if (answers.stream().noneMatch(PeerAnswer::found) && position.current().isPresent()) {
            throw notFound(answers);
          }
          return page(position, answers, limit);
        });
  }

  /** Reads a position; it becomes a part of requests to other replicas, so its parts are checked. */
  private static ContinueToken decode(String text) {
    ContinueToken position = ContinueToken.decode(text);
    if (position.parts().stream().anyMatch(part -> !Audits.isPosition(part.run()))) {
      throw ContinueToken.invalid();
    }
    return position;
  }

  private ContinueToken begin(ClusterScope scope) {
    List<Part> parts = new ArrayList<>();
    if (scope.covers(cluster.self())) {
      parts.add(new Part(cluster.self(), "", Progress.OPEN));
    }
    cluster.others(scope).forEach(peer -> parts.add(new Part(peer.replica(), "", Progress.OPEN)));
    return new ContinueToken(parts, null);
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
            peer -> cluster.get(peer, context, queries.getOrDefault(peer.replica(), "")))
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
        .map(answer -> answer.problem().rejection())
        .orElseGet(() -> Cluster.notFound(answers));
  }

  private Response page(ContinueToken position, List<PeerAnswer> answers, int limit) {
    Map<String, PeerAnswer> byName = new HashMap<>();
    answers.forEach(answer -> byName.put(answer.replica(), answer));
    ObjectNode json = Json.object().put("kind", "AuditList");
    Map<String, Integer> taken = merge(answers, json.putArray(ITEMS), limit);
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
    Cluster.mark(json, cluster.self(), states);
    new ContinueToken(parts, null).put(json);
    return Response.ok(json);
  }

  /** The records of one replica, and how many of them are in the page. */
  private static final class Line {
    final String replica;
    private final JsonNode records;
    int taken;
    Instant at = Instant.MIN;

    Line(PeerAnswer answer) {
      this.replica = answer.replica();
      this.records = answer.json().path(ITEMS);
      peek();
    }

    boolean hasMore() {
      return taken < records.size();
    }

    ObjectNode take() {
      ObjectNode record = Json.object().put("replica", Json.clean(replica));
      if (records.get(taken++) instanceof ObjectNode one) {
        record.setAll(one);
      }
      peek();
      return record;
    }

    private void peek() {
      at = Durations.parseTime(records.path(taken).path("at").asText()).orElse(Instant.MIN);
    }
  }

  /** Adds the latest records to the page; returns the number of records by replica. */
  private static Map<String, Integer> merge(List<PeerAnswer> answers, ArrayNode items, int limit) {
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
    JsonNode records = answer.json().path(ITEMS);
    String replica = answer.replica();
    if (taken == records.size()) {
      String position = answer.json().path(ContinueToken.CONTINUE).asText("");
      return new Part(replica, position, position.isEmpty() ? Progress.DONE : Progress.OPEN);
    }
    // A position before all records of the answer excludes younger ones.
    long before =
        taken == 0
            ? records.path(0).path("seq").asLong() + 1
            : records.path(taken - 1).path("seq").asLong();
    String run = answer.json().path(Audits.RUN).asText();
    return new Part(replica, Audits.position(run, before), Progress.OPEN);
  }
}
