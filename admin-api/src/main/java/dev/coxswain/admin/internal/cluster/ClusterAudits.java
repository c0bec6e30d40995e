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
import io.vertx.core.http.HttpMethod;
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
 * <p>The records of one replica come in the order in which it wrote them; between replicas the
 * times decide that each wrote by its own clock. A walk is of the replicas there were when it
 * began, and its place says of each which records have been shown, so that none is shown twice. A
 * replica that does not answer once is left out from then on, and every further page is partial:
 * what it has would come too late to be in order.
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
    ContinueToken cursor = from == null ? begin(scope) : decode(from);
    return ask(context, cursor, limit)
        .map(answers -> {
          if (answers.stream().noneMatch(PeerAnswer::found) && cursor.current().isPresent()) {
            throw nobody(answers);
          }
          return page(cursor, answers, limit);
        });
  }

  /** Nothing but places of records gets into a question to another replica. */
  private static ContinueToken decode(String text) {
    ContinueToken cursor = ContinueToken.decode(text);
    if (cursor.parts().stream().anyMatch(part -> !Audits.isPosition(part.run()))) {
      throw ContinueToken.invalid();
    }
    return cursor;
  }

  private ContinueToken begin(ClusterScope scope) {
    List<Part> parts = new ArrayList<>();
    if (scope.covers(cluster.self())) {
      parts.add(new Part(cluster.self(), "", Progress.TODO));
    }
    cluster.others(scope).forEach(peer -> parts.add(new Part(peer.replica(), "", Progress.TODO)));
    return new ContinueToken(parts, null);
  }

  /** Asks everybody who has more for what comes next there; the answers come by name. */
  private Future<List<PeerAnswer>> ask(RequestContext context, ContinueToken cursor, int limit) {
    String query = context.rawQuery();
    Map<String, String> places = new HashMap<>();
    List<Peer> others = new ArrayList<>();
    List<PeerAnswer> left = new ArrayList<>();
    ClusterScope self = ClusterScope.OTHERS;
    for (Part part : cursor.parts()) {
      if (part.progress() != Progress.TODO) {
        continue;
      }
      places.put(part.replica(), ContinueToken.query(query, limit, part.run()));
      if (part.replica().equals(cluster.self())) {
        self = ClusterScope.ALL;
        continue;
      }
      cluster
          .other(part.replica())
          .ifPresentOrElse(
              others::add, () -> left.add(PeerAnswer.unreachable(part.replica(), "it has left")));
    }
    return cluster
        .everybody(
            context,
            self,
            own -> {
              own.rewrite(places.getOrDefault(cluster.self(), ""));
              return local.handle(own);
            },
            others,
            peer ->
                cluster.ask(
                    peer,
                    context,
                    HttpMethod.GET,
                    context.below() + "?" + places.get(peer.replica())))
        .map(answers -> {
          List<PeerAnswer> all = new ArrayList<>(left);
          answers.forEach(answer -> all.add(heard(answer)));
          all.sort(Comparator.comparing(PeerAnswer::replica));
          return all;
        });
  }

  /** A replica that was started again has forgotten its records. */
  private static PeerAnswer heard(PeerAnswer answer) {
    return answer.slug().equals("cursor-expired")
        ? new PeerAnswer(
            answer.replica(),
            PeerAnswer.State.REFUSED,
            "it was started again and has forgotten its records",
            true,
            answer.status(),
            answer.body())
        : answer;
  }

  /** Returns what to say when nobody has answered with records. */
  private static Rejection nobody(List<PeerAnswer> answers) {
    return answers.stream()
        .filter(answer -> answer.status() == 410 || answer.slug().startsWith("invalid-"))
        .findFirst()
        .map(answer -> answer.problem().rejection())
        .orElseGet(() -> Cluster.nobodyHas(answers));
  }

  private Response page(ContinueToken cursor, List<PeerAnswer> answers, int limit) {
    Map<String, PeerAnswer> byName = new HashMap<>();
    answers.forEach(answer -> byName.put(answer.replica(), answer));
    ObjectNode json = Json.object().put("kind", "AuditList");
    Map<String, Integer> taken = merge(answers, json.putArray(ITEMS), limit);
    List<Part> parts = new ArrayList<>();
    List<PeerAnswer> states = new ArrayList<>();
    for (Part part : cursor.parts()) {
      PeerAnswer answer = byName.get(part.replica());
      if (answer == null) {
        parts.add(part);
        states.add(part.state());
      } else {
        states.add(answer);
        parts.add(
            answer.found()
                ? next(answer, taken.getOrDefault(part.replica(), 0))
                : new Part(part.replica(), "", Progress.MISSING));
      }
    }
    Cluster.mark(json, cluster.self(), states);
    ContinueToken next = new ContinueToken(parts, null);
    next.put(json);
    return Response.ok(json);
  }

  /** One replica's records, and how many of them are in the page. */
  private static final class Line {
    private final String replica;
    private final JsonNode records;
    private int taken;
    private Instant at = Instant.MIN;

    Line(PeerAnswer answer) {
      this.replica = answer.replica();
      this.records = answer.json().path(ITEMS);
      look();
    }

    boolean hasMore() {
      return taken < records.size();
    }

    Instant at() {
      return at;
    }

    String replica() {
      return replica;
    }

    ObjectNode take() {
      ObjectNode record = Json.object().put("replica", Json.clean(replica));
      if (records.get(taken++) instanceof ObjectNode one) {
        record.setAll(one);
      }
      look();
      return record;
    }

    private void look() {
      at = Durations.parseTime(records.path(taken).path("at").asText()).orElse(Instant.MIN);
    }
  }

  /** Puts the youngest of all into the page; returns how many of each replica these are. */
  private static Map<String, Integer> merge(List<PeerAnswer> answers, ArrayNode items, int limit) {
    PriorityQueue<Line> lines =
        new PriorityQueue<>(Comparator.comparing(Line::at).reversed().thenComparing(Line::replica));
    Map<String, Integer> taken = new HashMap<>();
    answers.stream()
        .filter(PeerAnswer::found)
        .map(Line::new)
        .filter(Line::hasMore)
        .forEach(lines::add);
    while (items.size() < limit) {
      Line youngest = lines.poll();
      if (youngest == null) {
        break;
      }
      items.add(youngest.take());
      taken.put(youngest.replica(), youngest.taken);
      if (youngest.hasMore()) {
        lines.add(youngest);
      }
    }
    return taken;
  }

  /** Returns where a replica goes on, after some of the records that it answered with. */
  private static Part next(PeerAnswer answer, int taken) {
    JsonNode records = answer.json().path(ITEMS);
    String replica = answer.replica();
    if (taken == records.size()) {
      String position = answer.json().path(ContinueToken.CONTINUE).asText("");
      return new Part(replica, position, position.isEmpty() ? Progress.DONE : Progress.TODO);
    }
    // Before all of them, or after those that are in the page; what comes later is younger.
    long before =
        taken == 0
            ? records.path(0).path("seq").asLong() + 1
            : records.path(taken - 1).path("seq").asLong();
    String run = answer.json().path(Audits.RUN).asText();
    return new Part(replica, Audits.position(run, before), Progress.TODO);
  }
}
