// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Endpoint;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operations of all replicas. Confined to the admin event loop. */
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

  /** Returns an operation, or a preview, of one replica as a response of all. */
  static Response merged(
      Cluster cluster, OperationLog log, Response reply, String replica, List<PeerAnswer> missing) {
    ObjectNode body = reply.body();
    if (body == null) {
      return reply;
    }
    PeerAnswer own = PeerAnswer.own(replica, reply);
    List<PeerAnswer> answers = new ArrayList<>(missing);
    answers.add(own);
    ObjectNode shown =
        body.path("kind").asText().equals("Operation")
            ? OperationMerge.operation(List.of(own), answers, log)
            : body;
    Cluster.mark(shown, cluster.self(), answers);
    return new Response(reply.status(), shown, reply.headers());
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    List<String> states = context.query().many("state");
    // The state of a part is not that of the whole, so states are filtered after the merge.
    String all = Query.without(context.rawQuery(), Set.of("state"));
    Endpoint.Handler own =
        request -> {
          Future<Response> checked = local.list(request); // checks the states, too
          if (checked.failed()) {
            return checked;
          }
          request.rewrite(all);
          return local.list(request);
        };
    return cluster
        .getAll(context, scope, own, context.below(), all)
        .map(answers -> Response.ok(list(answers, states)));
  }

  private ObjectNode list(List<PeerAnswer> answers, List<String> states) {
    ObjectNode json =
        Cluster.mark(Json.object().put("kind", "OperationList"), cluster.self(), answers);
    ArrayNode items = json.putArray("items");
    PeerAnswer.itemsBy("id", answers).values().stream()
        .map(parts -> OperationMerge.operation(parts, answers, log))
        .filter(whole -> states.isEmpty() || states.contains(whole.path("state").asText()))
        .sorted(Comparator.comparing(ClusterOperations::startedAt).reversed())
        .forEach(items::add);
    return json;
  }

  private static String startedAt(ObjectNode operation) {
    return operation.path("startedAt").asText();
  }

  public Future<Response> get(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Rejection refusal = OperationScope.of(context).refusal();
    return cluster
        .requestAll(
            context,
            refusal == null && scope.covers(cluster.self()),
            local::get,
            cluster.others(scope),
            peer -> cluster.get(peer, context, ""))
        .map(all -> {
          List<PeerAnswer> answers = all.stream().map(ClusterOperations::withoutRights).toList();
          if (answers.stream().noneMatch(PeerAnswer::found)) {
            throw refusal != null && answers.stream().allMatch(PeerAnswer::ok)
                ? refusal
                : Cluster.notFound(answers);
          }
          return Response.ok(whole(answers));
        });
  }

  /** A caller with limited rights receives 403 for an unknown operation: the replica has none. */
  private static PeerAnswer withoutRights(PeerAnswer answer) {
    return answer.slug().equals("forbidden")
        ? PeerAnswer.ok(answer.replica(), 403, answer.body())
        : answer;
  }

  private ObjectNode whole(List<PeerAnswer> answers) {
    List<PeerAnswer> found = answers.stream().filter(PeerAnswer::found).toList();
    return Cluster.mark(OperationMerge.operation(found, answers, log), cluster.self(), answers);
  }

  /** Stops all parts; completes when they have stopped. */
  public Future<Response> stop(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    List<Peer> others = cluster.others(scope);
    String id = context.param("op");
    boolean here = OperationScope.of(context).refusal() == null;
    boolean onlyHere =
        here
            && log.find(id)
                .map(known -> known.header().participants().equals(List.of(cluster.self())))
                .orElse(others.isEmpty());
    if (onlyHere) {
      return local
          .stop(context)
          .map(reply -> merged(cluster, log, reply, cluster.self(), List.of()));
    }
    context.query().done();
    ObjectNode body = context.body().tree();
    context.audit().action("stop-operation");
    context.audit().operation(id);
    context.audit().reason(context.body().reason());
    context.body().done();
    context.rewrite(body); // the local handler reads it again
    return cluster
        .requestAll(
            context,
            here && scope.covers(cluster.self()),
            local::stop,
            others,
            peer -> writes.order(context, peer.replica(), body, Map.of()))
        .map(all -> stopped(context, all.stream().map(ClusterOperations::withoutRights).toList()));
  }

  private Response stopped(RequestContext context, List<PeerAnswer> answers) {
    // A replica without a part has nothing to stop.
    List<Outcome> outcomes =
        answers.stream().filter(answer -> answer.found() || !answer.ok()).map(Outcome::of).toList();
    if (answers.stream().noneMatch(PeerAnswer::found)) {
      Rejection refusal = OperationScope.of(context).refusal();
      throw !outcomes.isEmpty()
          ? Outcome.nothingDone(outcomes)
          : refusal != null ? refusal : Cluster.notFound(answers);
    }
    ObjectNode json = whole(answers);
    json.set("results", Outcome.results(outcomes));
    return Response.ok(json);
  }
}
