// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.model.LimiterList;
import dev.coxswain.admin.internal.model.LimiterResource;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.LimiterMerge;
import dev.coxswain.admin.internal.resource.LimiterMerge.Of;
import dev.coxswain.admin.internal.resource.Limiters;
import dev.coxswain.admin.internal.value.MergedValue;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The limiters of all replicas, each once. One replica with the limiter changes it for all that share
 * it. Confined to the admin event loop.
 */
public final class ClusterLimiters {

  private final Cluster cluster;
  private final Limiters local;

  public ClusterLimiters(Cluster cluster, Limiters local) {
    this.cluster = cluster;
    this.local = local;
  }

  public Future<Response> list(RequestContext context) {
    return cluster
        .getAll(context, ClusterScope.take(context), local::list, LimiterList.class)
        .map(answers -> Response.ok(list(answers)));
  }

  public Future<Response> get(RequestContext context) {
    return cluster
        .getAll(context, ClusterScope.take(context), local::get, LimiterResource.class)
        .map(answers -> {
          LimiterResource limiter =
              LimiterMerge.merge(
                  Cluster.found(answers).stream()
                      .map(answer -> new Of(answer.replica(), answer.as(LimiterResource.class)))
                      .toList());
          // The replicas of a limiter have counts, so their states are added to this list.
          return Response.ok(
              Cluster.marked(LimiterMerge.withStates(limiter, answers), cluster.self(), answers));
        });
  }

  /** Sets another rate and burst, on this replica if it has the limiter. */
  public Endpoint.Handler override(ClusterWrites writes) {
    return change(writes, Limiters.OVERRIDE, local::override);
  }

  /** Restores the configured values, on this replica if it has the limiter. */
  public Endpoint.Handler clear(ClusterWrites writes) {
    return change(writes, Limiters.CLEAR, local::clear);
  }

  private Endpoint.Handler change(ClusterWrites writes, String action, Endpoint.Handler act) {
    Endpoint.Handler change = writes.shared(LimiterResource.class, local::get, act, local::has);
    return context -> {
      context.audit().action(action); // recorded here, too, when another replica makes the change
      return change.handle(context);
    };
  }

  private MergedValue list(List<PeerAnswer> answers) {
    TreeMap<String, List<Of>> byName = new TreeMap<>();
    for (PeerAnswer answer : Cluster.found(answers)) {
      for (LimiterResource limiter : answer.as(LimiterList.class).items()) {
        byName
            .computeIfAbsent(limiter.name(), _ -> new ArrayList<>())
            .add(new Of(answer.replica(), limiter));
      }
    }
    return Cluster.marked(
        new LimiterList(cluster.self(), byName.values().stream().map(LimiterMerge::merge).toList()),
        cluster.self(),
        answers);
  }
}
