// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.ItemView;
import dev.coxswain.admin.internal.resource.StatisticsMerge;
import dev.coxswain.admin.internal.resource.Unowned;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads of all replicas: sends the same request to each of them and merges the responses. Confined
 * to the admin event loop.
 */
public final class ClusterReads {

  private final Cluster cluster;
  private final ItemSlots slots;
  private final JsonWork work;

  public ClusterReads(Cluster cluster, ItemSlots slots, JsonWork work) {
    this.cluster = cluster;
    this.slots = slots;
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
    return ofItem(local, answers -> tagged(copies(Cluster.found(answers), any -> true)));
  }

  public Endpoint.Handler explanation(Endpoint.Handler local) {
    Endpoint.Handler handler =
        ofItem(
            local,
            answers -> {
              List<PeerAnswer> found = new ArrayList<>(Cluster.found(answers));
              // Of replicas without the item, the last one that had it is first; the sort is
              // stable.
              Comparator<PeerAnswer> byEnd =
                  Comparator.comparing(answer -> answer.json().path("endedAt").asText());
              found.sort(byEnd.reversed());
              return Response.ok(copies(found, answer -> answer.json().has("item")));
            });
    return context -> {
      ItemId id = context.item();
      Optional<ItemSlot> unowned =
          slots.of(context.param("c"), id).filter(slot -> slot.replicas().isEmpty());
      if (unowned.isEmpty() || ClusterScope.isGiven(context)) {
        return handler.handle(context);
      }
      context.query().done();
      ObjectNode json = ItemView.unowned(context.param("c"), id, unowned.get());
      return Future.succeededFuture(
          Response.ok(
              Cluster.mark(json, cluster.self(), List.of(PeerAnswer.self(cluster.self())))));
    };
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
    return context -> all(context, ClusterScope.take(context), local, merge);
  }

  private Future<Response> all(
      RequestContext context, ClusterScope scope, Endpoint.Handler local, Merge merge) {
    return cluster.others(scope).isEmpty()
        ? local
            .handle(context)
            .compose(own -> merged(scope, merge, List.of(PeerAnswer.own(cluster.self(), own))))
        : requestAll(context, scope, local).compose(answers -> merged(scope, merge, answers));
  }

  /** Reads the item in the path: from the owner of its slot, or from all replicas without slots. */
  private Endpoint.Handler ofItem(Endpoint.Handler local, Merge merge) {
    return context -> {
      ClusterScope scope = ClusterScope.take(context);
      return scope.equals(ClusterScope.ALL) && !cluster.others().isEmpty()
          ? new OwnerRequests(
                  cluster, context, local, peer -> cluster.get(peer, context, context.rawQuery()))
              .send(
                  slots.of(context.param("c"), context.item()),
                  slots.ofController(context.param("c")),
                  () -> requestAll(context, scope, local))
              .compose(answers -> merged(scope, merge, answers))
          : all(context, scope, local, merge);
    };
  }

  private Future<List<PeerAnswer>> requestAll(
      RequestContext context, ClusterScope scope, Endpoint.Handler local) {
    return cluster.getAll(context, scope, local, context.below(), context.rawQuery());
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
