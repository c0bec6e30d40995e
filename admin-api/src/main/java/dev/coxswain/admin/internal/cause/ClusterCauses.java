// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.controller.ControllerHandle;
import io.vertx.core.Future;
import java.util.List;

/**
 * The causes of failures with the counts of all replicas: the same failure has the same id on each of
 * them. Confined to the admin event loop.
 */
public final class ClusterCauses {

  private static final int DEFAULT_LIMIT = 100;

  private final Cluster cluster;
  private final Causes local;
  private final JsonWork work;

  public ClusterCauses(Cluster cluster, Causes local, JsonWork work) {
    this.cluster = cluster;
    this.local = local;
    this.work = work;
  }

  public Future<Response> listAll(RequestContext context) {
    return list(context, local::allCounts, local::allOf);
  }

  public Future<Response> list(RequestContext context) {
    return list(context, local::counts, local::of);
  }

  /** Reads some causes in full. */
  private interface Reader {
    Future<Response> read(RequestContext context, String marks);
  }

  /**
   * Reads the counts of all causes first, and then those that the list shows: with many causes nearly
   * all of them are not in it.
   */
  private Future<Response> list(RequestContext context, Endpoint.Handler counts, Reader full) {
    ClusterScope scope = ClusterScope.take(context);
    Query query = context.query();
    int limit = query.number("limit", 1, ControllerHandle.MAX_PAGE, DEFAULT_LIMIT);
    query.done();
    return cluster
        .getAll(context, scope, counts, context.below(), "", CauseSums.class)
        .compose(counted -> {
          List<CauseSums> found =
              Cluster.found(counted).stream().map(answer -> answer.as(CauseSums.class)).toList();
          return work.run(JsonWork.isLongText(length(found)), () -> new CauseTally(found, limit))
              .compose(tally ->
                  tally.chosen().isEmpty()
                      ? Future.succeededFuture(response(tally, List.of(), counted))
                      : chosen(context, scope, full, tally.marks())
                          .compose(whole ->
                              work.run(
                                  JsonWork.isLong(tally.chosen().size()),
                                  () -> response(tally, whole, counted))));
        });
  }

  private Future<List<PeerAnswer>> chosen(
      RequestContext context, ClusterScope scope, Reader full, String marks) {
    return cluster.getAll(
        context,
        scope,
        own -> full.read(own, marks),
        context.below(),
        Causes.ONLY + "=" + marks,
        CauseList.class);
  }

  /** Returns the list; a replica that has answered only once counts as missing. */
  private Response response(CauseTally tally, List<PeerAnswer> whole, List<PeerAnswer> counted) {
    List<CauseList> full =
        whole.isEmpty()
            ? List.of()
            : Cluster.found(whole).stream().map(answer -> answer.as(CauseList.class)).toList();
    boolean fewer = whole.stream().anyMatch(answer -> !answer.ok());
    return Response.ok(Cluster.marked(tally.list(full), cluster.self(), fewer ? whole : counted));
  }

  private static int length(List<CauseSums> counts) {
    return counts.stream()
        .flatMap(one -> one.controllers().stream())
        .mapToInt(one -> one.counts().length)
        .sum();
  }

  public Future<Response> get(RequestContext context) {
    return cluster
        .getAll(context, ClusterScope.take(context), local::get, CauseResource.class)
        .map(answers ->
            Response.ok(
                Cluster.marked(
                    Cluster.found(answers).stream()
                        .map(answer -> answer.as(CauseResource.class))
                        .reduce(CauseResource::plus)
                        .orElseThrow(),
                    cluster.self(),
                    answers)));
  }
}
