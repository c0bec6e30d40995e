// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.StoredHistory;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.operation.OperationList;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.operation.OperationMerge;
import dev.coxswain.admin.internal.operation.OperationScope;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.operation.StoredOperations;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.value.MergedValue;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The operations of all replicas, and those of earlier ones that are stored. Confined to the admin
 * event loop.
 */
public final class ClusterOperations {

  private final Cluster cluster;
  private final ClusterWrites writes;
  private final Operations local;
  private final OperationLog log;
  private final History history;

  public ClusterOperations(
      Cluster cluster, ClusterWrites writes, Operations local, OperationLog log, History history) {
    this.history = history;
    this.cluster = cluster;
    this.writes = writes;
    this.local = local;
    this.log = log;
  }

  /** Returns an operation, or a preview, of one replica as a response of all. */
  static Response merged(
      Cluster cluster, OperationLog log, Response reply, String replica, List<PeerAnswer> missing) {
    if (!(reply.body() instanceof MergedValue body)) {
      return reply;
    }
    PeerAnswer own = PeerAnswer.own(replica, reply);
    List<PeerAnswer> answers = new ArrayList<>(missing);
    answers.add(own);
    MergedValue shown =
        body instanceof OperationResource
            ? OperationMerge.operation(List.of(own), answers, log)
            : body;
    return reply.withBody(Cluster.marked(shown, cluster.self(), answers));
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
    Future<StoredHistory> stored = scope.stored(history);
    return cluster
        .getAll(context, scope, own, context.below(), all, OperationList.class)
        .compose(answers ->
            stored.map(read -> Response.ok(list(answers, read, context.query(), states))));
  }

  private OperationList list(
      List<PeerAnswer> answers, StoredHistory stored, Query query, List<String> states) {
    Map<String, List<PeerAnswer>> parts = new LinkedHashMap<>();
    for (PeerAnswer answer : answers) {
      answer
          .maybe(OperationList.class)
          .ifPresent(list ->
              list.items()
                  .forEach(one ->
                      parts
                          .computeIfAbsent(one.id(), _ -> new ArrayList<>())
                          .add(PeerAnswer.ok(answer.replica(), 200, one))));
    }
    StoredOperations.addTo(parts, stored, query);
    List<OperationResource> items =
        parts.values().stream()
            .map(found -> OperationMerge.operation(found, answers, log))
            .filter(whole -> states.isEmpty() || states.contains(whole.state()))
            .sorted(
                Comparator.comparing(
                        OperationResource::startedAt,
                        Comparator.nullsFirst(Comparator.<Instant>naturalOrder()))
                    .reversed())
            .toList();
    return new OperationList(cluster.self(), items)
        .marked(
            cluster.self(),
            answers.stream().anyMatch(answer -> !answer.whole()),
            PeerAnswer.states(answers))
        .withStored(stored.problem());
  }

  public Future<Response> get(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Rejection refusal = OperationScope.of(context).refusal();
    Future<StoredHistory> stored =
        refusal == null ? scope.stored(history) : Future.succeededFuture(StoredHistory.NONE);
    return cluster
        .requestAll(
            context,
            OperationScope.of(context).refusal() == null && scope.covers(cluster.self()),
            local::get,
            cluster.others(scope),
            peer -> cluster.get(peer, context, "", OperationResource.class))
        .compose(all -> stored.map(read -> Response.ok(found(context, all, read))));
  }

  private OperationResource found(
      RequestContext context, List<PeerAnswer> all, StoredHistory stored) {
    List<PeerAnswer> answers = all.stream().map(ClusterOperations::withoutRights).toList();
    List<PeerAnswer> parts = StoredOperations.parts(context, stored, context.param("op"));
    if (parts.isEmpty() && answers.stream().noneMatch(PeerAnswer::found)) {
      if (stored.problem() != null && answers.stream().allMatch(PeerAnswer::ok)) {
        throw Cluster.unreachable(
                "no replica has it, and the stored operations cannot be read; try again")
            .rejection();
      }
      throw unknown(context, answers);
    }
    return whole(answers, parts).withStored(stored.problem());
  }

  /** A caller with limited rights receives 403 for an unknown operation: the replica has none. */
  private static PeerAnswer withoutRights(PeerAnswer answer) {
    return answer.slug().equals("forbidden") ? answer.accepted() : answer;
  }

  /** Merges the parts; a stored one is final. */
  private OperationResource whole(List<PeerAnswer> answers, List<PeerAnswer> stored) {
    List<PeerAnswer> found = new ArrayList<>(answers.stream().filter(PeerAnswer::found).toList());
    found.addAll(stored);
    return OperationMerge.operation(found, answers, log)
        .marked(
            cluster.self(),
            answers.stream().anyMatch(answer -> !answer.whole()),
            PeerAnswer.states(answers));
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
                .orElse(false);
    if (onlyHere) {
      return local
          .stop(context)
          .map(reply -> merged(cluster, log, reply, cluster.self(), List.of()));
    }
    context.query().done();
    Body body = context.body().again();
    context.audit().action("stop-operation");
    context.audit().operation(id);
    context.audit().reason(context.body().reason());
    context.body().done();
    context.rewrite(body); // the local handler reads it again
    return cluster
        .requestAll(
            context,
            here && scope.covers(cluster.self()),
            local::get,
            others,
            peer -> writes.findAt(context, peer))
        .compose(
            all -> scope.stored(history).compose(read -> stop(context, body, others, all, read)));
  }

  /** Stops the parts of the replicas that have one, or may have one. */
  private Future<Response> stop(
      RequestContext context,
      Body body,
      List<Peer> others,
      List<PeerAnswer> found,
      StoredHistory stored) {
    List<PeerAnswer> known = found.stream().map(ClusterOperations::withoutRights).toList();
    List<PeerAnswer> ended =
        OperationScope.of(context).refusal() == null
            ? StoredOperations.parts(context, stored, context.param("op"))
            : List.of();
    if (known.stream().noneMatch(PeerAnswer::found)) {
      if (ended.isEmpty()) {
        throw unknown(context, known); // nothing has been sent that could have stopped it
      }
      return Future.succeededFuture(stopped(known, ended));
    }
    Set<String> asked =
        known.stream()
            .filter(answer -> answer.found() || !answer.ok()) // one that is silent may have a part
            .map(PeerAnswer::replica)
            .collect(Collectors.toSet());
    return cluster
        .requestAll(
            context,
            asked.contains(cluster.self()),
            local::stop,
            others.stream().filter(peer -> asked.contains(peer.replica())).toList(),
            peer ->
                writes.order(
                    context, peer.replica(), body, false, Map.of(), OperationResource.class))
        .map(all -> {
          List<PeerAnswer> answers = all.stream().map(ClusterOperations::withoutRights).toList();
          if (ended.isEmpty() && answers.stream().noneMatch(PeerAnswer::found)) {
            List<Outcome> outcomes = outcomes(answers);
            throw outcomes.isEmpty() ? unknown(context, answers) : Outcome.nothingDone(outcomes);
          }
          return stopped(answers, ended);
        });
  }

  /** Returns the response when no replica that answered has the operation. */
  private static Rejection unknown(RequestContext context, List<PeerAnswer> answers) {
    Rejection refusal = OperationScope.of(context).refusal();
    return refusal != null && answers.stream().allMatch(PeerAnswer::ok)
        ? refusal
        : Cluster.notFound(answers);
  }

  /** Returns the results of the replicas; one without a part has nothing to stop. */
  private static List<Outcome> outcomes(List<PeerAnswer> answers) {
    return answers.stream()
        .filter(answer -> answer.found() || !answer.ok())
        .map(Outcome::of)
        .toList();
  }

  /**
   * Returns the response.
   *
   * @param stored the parts that are stored: they have ended
   */
  private Response stopped(List<PeerAnswer> answers, List<PeerAnswer> stored) {
    List<Outcome> outcomes = outcomes(answers);
    return Response.ok(whole(answers, stored).withResults(Outcome.results(outcomes)));
  }
}
