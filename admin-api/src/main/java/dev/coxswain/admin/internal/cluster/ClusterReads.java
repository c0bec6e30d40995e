// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Unowned;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads that any replica answers for all: asks each of them the same and puts the answers together.
 * Confined to the admin event loop.
 */
public final class ClusterReads {

  private static final String ITEMS = "items";

  private final Cluster cluster;
  private final JsonWork work;

  public ClusterReads(Cluster cluster, JsonWork work) {
    this.cluster = cluster;
    this.work = work;
  }

  /** Puts the answers of all replicas together, in their order: this one first. Any thread. */
  @FunctionalInterface
  interface Merge {
    Response merge(List<PeerAnswer> answers);
  }

  public Endpoint.Handler controllers(Endpoint.Handler local) {
    return all(local, answers -> Response.ok(controllerList(answers)));
  }

  public Endpoint.Handler controller(Endpoint.Handler local) {
    return all(local, answers -> tagged(merged(answers)));
  }

  public Endpoint.Handler item(Endpoint.Handler local) {
    return all(local, answers -> tagged(copies(found(answers), any -> true)));
  }

  public Endpoint.Handler explanation(Endpoint.Handler local) {
    return all(
        local,
        answers -> {
          List<PeerAnswer> found = new ArrayList<>(found(answers));
          found.sort(Comparator.comparing(ClusterReads::endedAt).reversed()); // stable
          return Response.ok(copies(found, answer -> answer.json().has("item")));
        });
  }

  /** Of replicas without the item, the one where it was last has most to tell. */
  private static String endedAt(PeerAnswer answer) {
    return answer.json().path("endedAt").asText();
  }

  public Endpoint.Handler statistics(Endpoint.Handler local) {
    return all(
        local,
        answers ->
            Response.ok(
                StatisticsMerge.merge(found(answers).stream().map(PeerAnswer::json).toList())));
  }

  /** The revision is that of the replica that is shown first. */
  private static Response tagged(ObjectNode json) {
    Response reply = Response.ok(json);
    return json.has("rev")
        ? reply.withHeader("ETag", "\"" + json.path("rev").asText() + "\"")
        : reply;
  }

  private Endpoint.Handler all(Endpoint.Handler local, Merge merge) {
    return context -> {
      ClusterScope scope = ClusterScope.take(context);
      List<Peer> others = cluster.others(scope);
      if (others.isEmpty()) {
        return local
            .handle(context)
            .compose(own -> merged(scope, merge, List.of(PeerAnswer.own(cluster.self(), own))));
      }
      return cluster
          .everybody(context, scope, local, others, context.below(), context.rawQuery())
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

  /** Returns the answers of those who have it; throws when nobody has. */
  static List<PeerAnswer> found(List<PeerAnswer> answers) {
    List<PeerAnswer> found = answers.stream().filter(PeerAnswer::found).toList();
    if (found.isEmpty()) {
      throw Cluster.nobodyHas(answers);
    }
    return found;
  }

  private ObjectNode controllerList(List<PeerAnswer> answers) {
    TreeMap<String, List<ObjectNode>> byName = new TreeMap<>();
    for (PeerAnswer answer : answers) {
      if (answer.found()) {
        answer
            .json()
            .path(ITEMS)
            .forEach(controller -> {
              if (controller instanceof ObjectNode one) {
                byName
                    .computeIfAbsent(one.path("name").asText(), name -> new ArrayList<>())
                    .add(one);
              }
            });
      }
    }
    ObjectNode json = Json.object();
    json.put("kind", "ControllerList");
    json.put("replica", Json.clean(cluster.self()));
    ArrayNode items = json.putArray(ITEMS);
    byName.values().forEach(parts -> items.add(merged(parts, answers)));
    return json;
  }

  private static ObjectNode merged(List<PeerAnswer> answers) {
    return merged(found(answers).stream().map(PeerAnswer::json).toList(), answers);
  }

  private static ObjectNode merged(List<ObjectNode> parts, List<PeerAnswer> answers) {
    ObjectNode whole = ControllerMerge.merge(parts);
    return Unowned.isIdle(whole) ? Unowned.whole(whole, parts, answers) : whole;
  }

  /**
   * Shows the answer of the replica that has most to say, and those of others that track the same.
   */
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
