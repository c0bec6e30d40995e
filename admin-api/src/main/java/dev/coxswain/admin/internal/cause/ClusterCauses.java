// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The causes of failures with the counts of all replicas: the same failure has the same id on each of
 * them. Confined to the admin event loop.
 */
public final class ClusterCauses {

  private static final double THOUSANDTHS = 1000;

  private static final Comparator<CauseResource> ORDER =
      Comparator.comparingLong(CauseResource::items)
          .thenComparing(CauseResource::lastSeen)
          .reversed()
          .thenComparing(CauseResource::controller)
          .thenComparing(CauseResource::id);

  private final Cluster cluster;
  private final Causes local;
  private final JsonWork work;

  public ClusterCauses(Cluster cluster, Causes local, JsonWork work) {
    this.cluster = cluster;
    this.local = local;
    this.work = work;
  }

  public Future<Response> listAll(RequestContext context) {
    return list(context, local::listAll);
  }

  public Future<Response> list(RequestContext context) {
    return list(context, local::list);
  }

  private Future<Response> list(RequestContext context, Endpoint.Handler own) {
    int limit = Causes.limit(context.query());
    return getAll(context, own, CauseList.class)
        .compose(answers -> {
          List<PeerAnswer> found = Cluster.found(answers);
          int causes =
              found.stream().mapToInt(answer -> answer.as(CauseList.class).items().size()).sum();
          return work.run(
              JsonWork.isLong(causes),
              () ->
                  Response.ok(
                      Cluster.marked(
                          merged(
                              found.stream().map(answer -> answer.as(CauseList.class)).toList(),
                              limit),
                          cluster.self(),
                          answers)));
        });
  }

  public Future<Response> get(RequestContext context) {
    return getAll(context, local::get, CauseResource.class)
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

  private Future<List<PeerAnswer>> getAll(
      RequestContext context, Endpoint.Handler own, Class<?> type) {
    ClusterScope scope = ClusterScope.take(context);
    return cluster.getAll(context, scope, own, context.below(), context.rawQuery(), type);
  }

  /** Adds up the lists of replicas; any thread. */
  static CauseList merged(List<CauseList> lists, int limit) {
    Map<List<String>, CauseResource> causes = new LinkedHashMap<>();
    Map<String, Long> failing = new HashMap<>();
    for (CauseList list : lists) {
      for (CauseResource cause : list.items()) {
        causes.merge(List.of(cause.controller(), cause.id()), cause, CauseResource::plus);
        failing.merge(cause.controller(), cause.items(), Long::sum);
      }
    }
    return CauseList.of(
        causes.size(),
        failing.values().stream().mapToLong(Long::longValue).sum(),
        causes.values().stream()
            .sorted(ORDER)
            .limit(limit)
            .map(cause -> cause.completed().withShare(share(cause, failing)))
            .toList(),
        lists.stream()
            .map(CauseList::unread)
            .filter(Objects::nonNull)
            .flatMap(List::stream)
            .distinct()
            .toList());
  }

  private static double share(CauseResource cause, Map<String, Long> failing) {
    long all = failing.getOrDefault(cause.controller(), 0L);
    return all == 0 ? 0 : Math.round(THOUSANDTHS * cause.items() / all) / THOUSANDTHS;
  }
}
