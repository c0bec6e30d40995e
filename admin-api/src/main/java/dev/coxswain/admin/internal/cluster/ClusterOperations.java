// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.operation.OperationMerge;
import dev.coxswain.admin.internal.operation.OperationScope;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Shows and stops the operations of all replicas. Confined to the admin event loop. */
public final class ClusterOperations {

  private final Cluster cluster;
  private final ClusterWrites writes;
  private final Operations local;
  private final OperationLog log;

  public ClusterOperations(
      Cluster cluster, ClusterWrites writes, Operations local, OperationLog log) {
    this.cluster = cluster;
    this.writes = writes;
    this.local = local;
    this.log = log;
  }

  /** Shows an operation, or a preview, of one replica. */
  static Response begun(Cluster cluster, Response reply, String replica, List<PeerAnswer> missing) {
    ObjectNode body = reply.body();
    if (body == null) {
      return reply;
    }
    List<PeerAnswer> asked = new ArrayList<>(missing);
    asked.add(PeerAnswer.own(replica, reply));
    ObjectNode shown =
        body.path("kind").asText().equals("Operation")
            ? OperationMerge.operation(Map.of(replica, body), asked)
            : body;
    Cluster.mark(shown, cluster.self(), asked);
    return new Response(reply.status(), shown, reply.headers());
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    List<String> states = context.query().many("state");
    // The state of a part is not that of the whole, so it is looked at afterwards.
    String all = Query.without(context.rawQuery(), Set.of("state"));
    return cluster
        .everybody(
            context,
            scope,
            asked -> {
              Future<Response> own = local.list(asked); // reads the states as well, strictly
              if (own.failed()) {
                return own;
              }
              asked.rewrite(all);
              return local.list(asked);
            },
            cluster.others(scope),
            context.below(),
            all)
        .map(answers -> Response.ok(list(answers, states)));
  }

  private ObjectNode list(List<PeerAnswer> answers, List<String> states) {
    Map<String, Map<String, ObjectNode>> byId = new LinkedHashMap<>();
    for (PeerAnswer answer : answers) {
      if (answer.found()) {
        answer
            .json()
            .path("items")
            .forEach(item -> {
              if (item instanceof ObjectNode operation) {
                byId.computeIfAbsent(operation.path("id").asText(), id -> new TreeMap<>())
                    .put(answer.replica(), operation);
              }
            });
      }
    }
    ObjectNode json =
        Cluster.mark(Json.object().put("kind", "OperationList"), cluster.self(), answers);
    ArrayNode items = json.putArray("items");
    byId.values().stream()
        .map(said -> OperationMerge.operation(said, answers))
        .filter(whole -> states.isEmpty() || states.contains(whole.path("state").asText()))
        .sorted((one, other) -> startedAt(other).compareTo(startedAt(one)))
        .forEach(items::add);
    return json;
  }

  private static String startedAt(ObjectNode operation) {
    return operation.path("startedAt").asText();
  }

  public Future<Response> get(RequestContext context) {
    return known(context).map(answers -> Response.ok(whole(answers)));
  }

  /** Asks everybody for an operation; those who know of it are among the answers. */
  private Future<List<PeerAnswer>> known(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    return cluster
        .everybody(
            context,
            OperationScope.of(context).refusal() == null ? scope : ClusterScope.OTHERS,
            local::get,
            cluster.others(scope),
            context.below(),
            "")
        .map(all -> {
          List<PeerAnswer> answers = all.stream().map(ClusterOperations::heard).toList();
          if (answers.stream().noneMatch(PeerAnswer::found)) {
            Rejection refusal = OperationScope.of(context).refusal();
            throw refusal != null && answers.stream().allMatch(PeerAnswer::ok)
                ? refusal
                : Cluster.nobodyHas(answers);
          }
          return answers;
        });
  }

  /** Who may see only some operations is told that they may not see one that there is not. */
  private static PeerAnswer heard(PeerAnswer answer) {
    return answer.slug().equals("forbidden")
        ? new PeerAnswer(answer.replica(), PeerAnswer.State.OK, null, true, 403, answer.body())
        : answer;
  }

  private ObjectNode whole(List<PeerAnswer> answers) {
    Map<String, ObjectNode> said = new TreeMap<>();
    answers.stream()
        .filter(PeerAnswer::found)
        .forEach(answer -> said.put(answer.replica(), answer.json()));
    return Cluster.mark(OperationMerge.operation(said, answers), cluster.self(), answers);
  }

  /** Stops every part; answers when they have stopped. */
  public Future<Response> stop(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    List<Peer> others = cluster.others(scope);
    String id = context.param("op");
    boolean here = OperationScope.of(context).refusal() == null;
    boolean onlyHere =
        here
            && log.find(id)
                .map(known -> known.participants().equals(List.of(cluster.self())))
                .orElse(others.isEmpty());
    if (onlyHere) {
      return local.stop(context).map(reply -> begun(cluster, reply, cluster.self(), List.of()));
    }
    context.query().done();
    ObjectNode body = context.body().tree();
    context.audit().action("stop-operation");
    context.audit().operation(id);
    context.audit().reason(context.body().reason());
    context.body().done();
    context.rewrite(body); // which is read once more
    return cluster
        .everybody(
            context,
            here ? scope : ClusterScope.OTHERS,
            local::stop,
            others,
            peer -> writes.order(context, peer.replica(), body, Map.of()))
        .map(all -> stopped(context, all.stream().map(ClusterOperations::heard).toList()));
  }

  private Response stopped(RequestContext context, List<PeerAnswer> answers) {
    // Who knows nothing of it has nothing to stop.
    List<Outcome> outcomes =
        answers.stream().filter(answer -> answer.found() || !answer.ok()).map(Outcome::of).toList();
    if (answers.stream().noneMatch(PeerAnswer::found)) {
      Rejection refusal = OperationScope.of(context).refusal();
      throw !outcomes.isEmpty()
          ? Outcome.nothingDone(outcomes)
          : refusal != null ? refusal : Cluster.nobodyHas(answers);
    }
    ObjectNode json = whole(answers);
    json.set("results", Outcome.results(outcomes));
    return Response.ok(json);
  }
}
