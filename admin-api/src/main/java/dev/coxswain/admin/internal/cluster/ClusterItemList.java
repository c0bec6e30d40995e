// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.coxswain.admin.internal.cluster.ContinueToken.Part;
import dev.coxswain.admin.internal.cluster.ContinueToken.Progress;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Items;
import dev.coxswain.controller.ControllerHandle;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists of the items of all replicas, one replica after the other. Confined to the admin event
 * loop.
 *
 * <p>The first page asks all replicas, so it knows which runs of the controller there are; every
 * other page asks the one whose turn it is. A page ends where a replica ends, unless the next one's
 * items all fit, too: so only the first one is asked for a page, and the others for their items if
 * one page can hold them all.
 */
public final class ClusterItemList {

  private static final String ITEMS = "items";
  private static final String AS_OF = "asOf";

  private final Cluster cluster;
  private final Endpoint.Handler local;

  public ClusterItemList(Cluster cluster, Endpoint.Handler local) {
    this.cluster = cluster;
    this.local = local;
  }

  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    Query query = context.query();
    int limit = query.number("limit", 1, ControllerHandle.MAX_PAGE, Items.DEFAULT_LIMIT);
    String from = query.text(ContinueToken.CONTINUE, ContinueToken.MAX);
    query.check();
    if (from != null && ContinueToken.isOne(from)) {
      return goOn(context, scope, ContinueToken.decode(from), limit);
    }
    List<Peer> others = cluster.others(scope);
    if (others.isEmpty() || from != null) {
      return local.handle(context).map(this::alone);
    }
    return begin(context, scope, others, limit);
  }

  /** A page of this replica only; its place is good at this replica only. */
  private Response alone(Response reply) {
    ObjectNode body = reply.body();
    if (body != null) {
      Cluster.mark(body, cluster.self(), List.of(PeerAnswer.own(cluster.self(), reply)));
      body.remove(Items.RUN);
      named(body.path(ITEMS), cluster.self());
    }
    return reply;
  }

  private static void named(JsonNode items, String replica) {
    items.forEach(item -> {
      if (item instanceof ObjectNode one) {
        one.put("replica", Json.clean(replica));
      }
    });
  }

  private Future<Response> begin(
      RequestContext context, ClusterScope scope, List<Peer> others, int limit) {
    context.inRounds(2, RequestContext.PEER_TIMEOUT_MILLIS);
    return everybody(context, scope, others, limit)
        .compose(answers -> started(context, answers))
        .map(answers -> {
          List<PeerAnswer> found = answers.stream().filter(PeerAnswer::found).toList();
          if (found.isEmpty()) {
            throw Cluster.nobodyHas(answers);
          }
          ObjectNode json = page(context);
          ArrayNode items = json.putArray(ITEMS);
          List<Part> parts = new ArrayList<>();
          String inner = null;
          boolean full = false;
          for (PeerAnswer answer : answers) {
            if (!answer.ok()) {
              parts.add(new Part(answer.replica(), "", Progress.MISSING));
            } else if (answer.found()) {
              ObjectNode body = answer.json();
              boolean fits =
                  !full
                      && !body.has(Items.WITHHELD)
                      && items.size() + body.path(ITEMS).size() <= limit;
              Part part = part(answer);
              if (fits) {
                take(items, answer);
                inner =
                    body.has(ContinueToken.CONTINUE)
                        ? body.path(ContinueToken.CONTINUE).asText()
                        : null;
              }
              full |= !fits || inner != null;
              parts.add(fits && inner == null ? part.done() : part);
            }
          }
          seen(json, found);
          return reply(json, new ContinueToken(parts, inner), answers);
        });
  }

  /**
   * Has the page begin with items where there are any: when those before have none, the first that
   * has more than a page holds is asked again, for a page.
   */
  private Future<List<PeerAnswer>> started(RequestContext context, List<PeerAnswer> answers) {
    for (int i = 0; i < answers.size(); i++) {
      PeerAnswer answer = answers.get(i);
      if (answer.found() && answer.json().has(Items.WITHHELD)) {
        int at = i;
        return one(context, answer.replica())
            .map(page -> {
              answers.set(at, page);
              return answers;
            });
      }
      if (answer.found() && !answer.json().path(ITEMS).isEmpty()) {
        break;
      }
    }
    return Future.succeededFuture(answers);
  }

  /** Asks everybody for their first items; the answers come by name. */
  private Future<List<PeerAnswer>> everybody(
      RequestContext context, ClusterScope scope, List<Peer> others, int limit) {
    context.rewrite(place(context, limit, null));
    String address = context.below() + "?" + context.rawQuery();
    String first =
        Stream.concat(
                others.stream().map(Peer::replica), Stream.of(cluster.self()).filter(scope::covers))
            .min(Comparator.naturalOrder())
            .orElse("");
    return cluster
        .everybody(
            context,
            scope,
            local,
            others,
            peer ->
                cluster.ask(
                    peer,
                    context,
                    HttpMethod.GET,
                    address,
                    null,
                    peer.replica().equals(first) ? Map.of() : Map.of(Items.ONLY_ALL, "true")))
        .map(answers -> {
          answers.sort(Comparator.comparing(PeerAnswer::replica));
          return answers;
        });
  }

  private Future<Response> goOn(
      RequestContext context, ClusterScope scope, ContinueToken cursor, int limit) {
    Part part = cursor.current().orElse(null);
    if (part == null) {
      ObjectNode json = page(context);
      json.putArray(ITEMS);
      json.putArray(AS_OF);
      return Future.succeededFuture(reply(json, cursor));
    }
    context.rewrite(place(context, limit, cursor.inner()));
    return one(context, part.replica())
        .compose(answer -> {
          if (answer.found() && answer.json().path(Items.RUN).asText().equals(part.run())) {
            return Future.succeededFuture(continued(context, cursor, answer));
          }
          if (answer.state() == PeerAnswer.State.REFUSED) {
            throw Cluster.nobodyHas(List.of(answer)); // it is there, and may answer later
          }
          if (answer.slug().startsWith("invalid-")) {
            throw answer.problem().rejection();
          }
          return lost(context, scope, cursor, part, answer);
        });
  }

  private Future<PeerAnswer> one(RequestContext context, String replica) {
    if (replica.equals(cluster.self())) {
      return cluster.own(context, local);
    }
    return cluster
        .other(replica)
        .map(peer ->
            cluster.ask(peer, context, HttpMethod.GET, context.below() + "?" + context.rawQuery()))
        .orElseGet(() -> Future.succeededFuture(PeerAnswer.unreachable(replica, "it has left")));
  }

  private Response continued(RequestContext context, ContinueToken cursor, PeerAnswer answer) {
    ObjectNode json = page(context);
    take(json.putArray(ITEMS), answer);
    seen(json, List.of(answer));
    String more = answer.json().path(ContinueToken.CONTINUE).asText("");
    ContinueToken next = more.isEmpty() ? cursor.next() : new ContinueToken(cursor.parts(), more);
    List<PeerAnswer> states = new ArrayList<>();
    for (Part part : next.parts()) {
      states.add(part.replica().equals(answer.replica()) ? answer : part.state());
    }
    return reply(json, next, states);
  }

  /**
   * The run that was being shown is no more, or does not answer. The walk can go on: with what
   * still runs and has not been shown, and with runs that are new since it began.
   */
  private Future<Response> lost(
      RequestContext context,
      ClusterScope scope,
      ContinueToken cursor,
      Part part,
      PeerAnswer answer) {
    context.rewrite(place(context, 1, null));
    // Who did not answer is not waited for a second time.
    boolean again = answer.ok();
    boolean self =
        scope.covers(cluster.self()) && (again || !part.replica().equals(cluster.self()));
    List<Peer> others =
        cluster.others().stream()
            .filter(peer -> scope.covers(peer.replica()))
            .filter(peer -> again || !part.replica().equals(peer.replica()))
            .toList();
    return everybody(context, self ? ClusterScope.ALL : ClusterScope.OTHERS, others, 1)
        .map(answers -> {
          if (!again) {
            answers.add(answer);
          }
          boolean nowhere = answers.stream().noneMatch(PeerAnswer::found);
          Problem problem =
              Problem.of(
                      410,
                      "cursor-expired",
                      "Cursor expired",
                      "the items of replica \""
                          + Json.line(part.replica(), 64)
                          + "\" cannot be walked any further: "
                          + (answer.error() == null
                              ? "the controller was started again, or does not run there any more"
                              : answer.error())
                          + (nowhere
                              ? "; no replica that answered runs the controller, so start again"
                                  + " when one does"
                              : "; start again, or go on with the other replicas by the value of"
                                  + " \"continue\" here"))
                  .withMember("replica", TextNode.valueOf(Json.clean(part.replica())))
                  .withMember("replicas", PeerAnswer.states(answers));
          throw (nowhere
                  ? problem
                  : problem.withMember(
                      ContinueToken.CONTINUE, TextNode.valueOf(fresh(cursor, answers).encode())))
              .rejection();
        });
  }

  private static ContinueToken fresh(ContinueToken before, List<PeerAnswer> now) {
    Map<String, Part> shown = new HashMap<>();
    before.parts().stream()
        .filter(part -> part.progress() == Progress.DONE)
        .forEach(part -> shown.put(part.replica() + " " + part.run(), part));
    List<Part> parts = new ArrayList<>();
    Set<String> answered = new HashSet<>();
    for (PeerAnswer answer : now) {
      if (answer.found()) {
        Part part = part(answer);
        boolean known = shown.containsKey(part.replica() + " " + part.run());
        answered.add(part.replica());
        parts.add(known ? part.done() : part);
      } else if (!answer.ok()) {
        answered.add(answer.replica());
        parts.add(new Part(answer.replica(), "", Progress.MISSING));
      }
    }
    // Who was in the walk and is gone is still told of on every page.
    for (Part part : before.parts()) {
      if (part.progress() != Progress.DONE && answered.add(part.replica())) {
        parts.add(new Part(part.replica(), "", Progress.MISSING));
      }
    }
    return new ContinueToken(parts, null);
  }

  private static Part part(PeerAnswer answer) {
    return new Part(answer.replica(), answer.json().path(Items.RUN).asText(), Progress.TODO);
  }

  private static ObjectNode page(RequestContext context) {
    return Json.object().put("kind", "ItemList").put("controller", context.param("c"));
  }

  private static void take(ArrayNode items, PeerAnswer answer) {
    named(answer.json().path(ITEMS), answer.replica());
    answer.json().path(ITEMS).forEach(items::add);
  }

  /** Says how far each replica's numbers had come. */
  private static void seen(ObjectNode json, List<PeerAnswer> found) {
    if (found.size() == 1) {
      json.set("asOfSeq", found.getFirst().json().get("asOfSeq"));
    }
    ArrayNode all = json.putArray(AS_OF);
    found.forEach(answer ->
        all.addObject()
            .put("replica", Json.clean(answer.replica()))
            .set("asOfSeq", answer.json().get("asOfSeq")));
  }

  /** Answers with the states that the walk knows. */
  private Response reply(ObjectNode json, ContinueToken cursor) {
    return reply(json, cursor, cursor.parts().stream().map(Part::state).toList());
  }

  private Response reply(ObjectNode json, ContinueToken cursor, List<PeerAnswer> states) {
    Cluster.mark(json, cluster.self(), states);
    cursor.put(json);
    return Response.ok(json);
  }

  /** Returns the query for one replica: the same filter, and a place among its own items. */
  private static String place(RequestContext context, int limit, @Nullable String inner) {
    return ContinueToken.query(context.rawQuery(), limit, inner);
  }
}
