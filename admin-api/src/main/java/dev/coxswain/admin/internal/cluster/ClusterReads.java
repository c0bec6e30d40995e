// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Unowned;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads of all replicas: sends the same request to each of them and merges the responses. Confined
 * to the admin event loop.
 */
public final class ClusterReads {

  private final Cluster cluster;
  private final JsonWork work;

  public ClusterReads(Cluster cluster, JsonWork work) {
    this.cluster = cluster;
    this.work = work;
  }

  /** Merges the answers of all replicas, this replica first. Any thread. */
  @FunctionalInterface
  interface Merge {
    Response merge(List<PeerAnswer> answers);
  }

  public Endpoint.Handler controllers(Endpoint.Handler local) {
    return all(local, answers -> Response.ok(controllerList(answers)));
  }

  public Endpoint.Handler controller(Endpoint.Handler local) {
    return all(local, answers -> tagged(merged(Cluster.found(answers), answers)));
  }

  public Endpoint.Handler item(Endpoint.Handler local) {
    return all(local, answers -> tagged(copies(Cluster.found(answers), any -> true)));
  }

  public Endpoint.Handler explanation(Endpoint.Handler local) {
    return all(
        local,
        answers -> {
          List<PeerAnswer> found = new ArrayList<>(Cluster.found(answers));
          // Of replicas without the item, the last one that had it is first; the sort is stable.
          Comparator<PeerAnswer> byEnd =
              Comparator.comparing(answer -> answer.json().path("endedAt").asText());
          found.sort(byEnd.reversed());
          return Response.ok(copies(found, answer -> answer.json().has("item")));
        });
  }

  public Endpoint.Handler statistics(Endpoint.Handler local) {
    return all(
        local,
        answers ->
            Response.ok(
                StatisticsMerge.merge(
                    Cluster.found(answers).stream().map(PeerAnswer::json).toList())));
  }

  /** Adds the revision of the first replica. */
  private static Response tagged(ObjectNode json) {
    Response reply = Response.ok(json);
    return json.has("rev")
        ? reply.withHeader("ETag", "\"" + json.path("rev").asText() + "\"")
        : reply;
  }

  private Endpoint.Handler all(Endpoint.Handler local, Merge merge) {
    return context -> {
      ClusterScope scope = ClusterScope.take(context);
      return cluster.others(scope).isEmpty()
          ? local
              .handle(context)
              .compose(own -> merged(scope, merge, List.of(PeerAnswer.own(cluster.self(), own))))
          : cluster
              .getAll(context, scope, local, context.below(), context.rawQuery())
              .compose(answers -> merged(scope, merge, answers));
    };
  }

  private Future<Response> merged(ClusterScope scope, Merge merge, List<PeerAnswer> answers) {
    boolean isLong = false;
    for (PeerAnswer answer : answers) {
      isLong |= answer.found() && JsonWork.isLong(answer.json());
    }
    return work.run(isLong, () -> marked(scope, merge.merge(answers), answers));
  }

  private Response marked(ClusterScope scope, Response reply, List<PeerAnswer> answers) {
    ObjectNode body = reply.body();
    if (body != null) {
      Cluster.mark(body, cluster.self(), answers);
      if (scope.equals(ClusterScope.ALL)) {
        Unowned.mark(body, answers);
      }
    }
    return reply;
  }

  private ObjectNode controllerList(List<PeerAnswer> answers) {
    ObjectNode json = Json.object();
    json.put("kind", "ControllerList");
    json.put("replica", Json.clean(cluster.self()));
    ArrayNode items = json.putArray("items");
    new TreeMap<>(PeerAnswer.itemsBy("name", answers))
        .values()
        .forEach(parts -> items.add(merged(parts, answers)));
    return json;
  }

  private static ObjectNode merged(List<PeerAnswer> found, List<PeerAnswer> answers) {
    List<ObjectNode> parts = found.stream().map(PeerAnswer::json).toList();
    ObjectNode whole = ControllerMerge.merge(parts);
    return Unowned.isIdle(whole) ? Unowned.whole(whole, parts, answers) : whole;
  }

  /** Returns the first result that tracks the item, with those of other replicas that do. */
  private static ObjectNode copies(List<PeerAnswer> found, Predicate<PeerAnswer> tracks) {
    List<PeerAnswer> order =
        found.stream()
            .sorted(Comparator.comparing(answer -> !tracks.test(answer))) // stable
            .toList();
    PeerAnswer first = order.getFirst();
    ObjectNode json = first.json();
    json.put("replica", Json.clean(first.replica()));
    List<PeerAnswer> more = order.stream().skip(1).filter(tracks).toList();
    if (!more.isEmpty()) {
      ArrayNode copies = json.putArray("copies");
      more.forEach(answer ->
          copies.add(answer.json().deepCopy().put("replica", Json.clean(answer.replica()))));
    }
    return json;
  }
}
