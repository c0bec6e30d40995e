// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.LimiterMerge;
import dev.coxswain.admin.internal.resource.Limiters;
import io.vertx.core.Future;
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
    return getAll(context, local::list).map(answers -> Response.ok(list(answers)));
  }

  public Future<Response> get(RequestContext context) {
    return getAll(context, local::get)
        .map(answers -> {
          ObjectNode limiter = LimiterMerge.merge(Cluster.found(answers));
          // The replicas of a limiter have counts, so their states are added to this list.
          ArrayNode counted = limiter.withArray("replicas");
          Cluster.mark(limiter, cluster.self(), answers).set("replicas", counted);
          LimiterMerge.states(limiter, answers);
          return Response.ok(limiter);
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
    Endpoint.Handler change = writes.shared(local::get, act, local::has);
    return context -> {
      context.audit().action(action); // recorded here, too, when another replica makes the change
      return change.handle(context);
    };
  }

  private Future<List<PeerAnswer>> getAll(RequestContext context, Endpoint.Handler own) {
    ClusterScope scope = ClusterScope.take(context);
    return cluster.getAll(context, scope, own, context.below(), context.rawQuery());
  }

  private ObjectNode list(List<PeerAnswer> answers) {
    Cluster.found(answers);
    ObjectNode json = Json.object().put("kind", "LimiterList");
    Cluster.mark(json, cluster.self(), answers);
    ArrayNode items = json.putArray("items");
    new TreeMap<>(PeerAnswer.itemsBy("name", answers))
        .values()
        .forEach(parts -> items.add(LimiterMerge.merge(parts)));
    return json;
  }
}
