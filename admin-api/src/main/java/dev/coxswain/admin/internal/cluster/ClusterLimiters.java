// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Limiters;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shows the limiters of all replicas, each once, and has one that knows a limiter change it for all
 * who share it. Confined to the admin event loop.
 */
public final class ClusterLimiters {

  private static final String ITEMS = "items";

  private final Cluster cluster;
  private final Limiters local;

  public ClusterLimiters(Cluster cluster, Limiters local) {
    this.cluster = cluster;
    this.local = local;
  }

  public Future<Response> list(RequestContext context) {
    return ask(context, local::list).map(answers -> Response.ok(list(answers)));
  }

  public Future<Response> get(RequestContext context) {
    return ask(context, local::get)
        .map(answers -> {
          ObjectNode limiter = LimiterMerge.merge(ClusterReads.found(answers));
          // The list of replicas was there first, and tells more of each than others do.
          ArrayNode counted = limiter.withArray("replicas");
          Cluster.mark(limiter, cluster.self(), answers).set("replicas", counted);
          LimiterMerge.states(limiter, answers);
          return Response.ok(limiter);
        });
  }

  /** Sets another rate and burst, through this replica if it has the limiter. */
  public Endpoint.Handler override(ClusterWrites writes) {
    return through(writes, Limiters.OVERRIDE, local::override);
  }

  /** Has what is configured hold again, through this replica if it has the limiter. */
  public Endpoint.Handler clear(ClusterWrites writes) {
    return through(writes, Limiters.CLEAR, local::clear);
  }

  private Endpoint.Handler through(ClusterWrites writes, String action, Endpoint.Handler act) {
    Endpoint.Handler change = writes.shared(local::get, act, local::has);
    return context -> {
      context.audit().action(action); // who passes it on records it, too
      return change.handle(context);
    };
  }

  private Future<List<PeerAnswer>> ask(RequestContext context, Endpoint.Handler own) {
    ClusterScope scope = ClusterScope.take(context);
    return cluster.everybody(
        context, scope, own, cluster.others(scope), context.below(), context.rawQuery());
  }

  private ObjectNode list(List<PeerAnswer> answers) {
    Map<String, List<PeerAnswer>> byName = new TreeMap<>();
    for (PeerAnswer answer : ClusterReads.found(answers)) {
      answer
          .json()
          .path(ITEMS)
          .forEach(item -> {
            if (item instanceof ObjectNode limiter) {
              byName
                  .computeIfAbsent(limiter.path("name").asText(), name -> new ArrayList<>())
                  .add(
                      new PeerAnswer(
                          answer.replica(), PeerAnswer.State.OK, null, true, 200, limiter));
            }
          });
    }
    ObjectNode json = Json.object().put("kind", "LimiterList");
    Cluster.mark(json, cluster.self(), answers);
    ArrayNode items = json.putArray(ITEMS);
    byName.values().forEach(said -> items.add(LimiterMerge.merge(said)));
    return json;
  }
}
