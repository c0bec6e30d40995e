// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.idempotency.Idempotency;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Unowned;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Changes that are made where they belong: first it is found out which replicas track the item, or
 * run the controller, and then each of them is asked to make the change. What became of each is
 * told; nothing is sent twice. Confined to the admin event loop.
 */
public final class ClusterWrites {

  private static final String CONCERNED = "concerned";

  /** What is there when it is shown; of a controller that failed to start there are no counts. */
  private static final Set<String> SHOWN = Set.of("Item", "Limiter");

  private final Cluster cluster;
  private final Idempotency idempotency;

  public ClusterWrites(Cluster cluster, Idempotency idempotency) {
    this.cluster = cluster;
    this.idempotency = idempotency;
  }

  /**
   * Where a change belongs.
   *
   * @param find shows what the change is about, as far as this replica has it
   * @param one whether one of several that have it is enough, since the others follow it
   * @param here whether this replica can be that one, so that nobody else need be asked
   */
  private record Place(Endpoint.Handler find, BooleanSupplier one, Predicate<RequestContext> here) {

    Place(Endpoint.Handler find, BooleanSupplier one) {
      this(find, one, context -> false);
    }
  }

  /**
   * How a replica is asked by others for a change: with {@link ApiHeaders#FIND} only whether it is
   * concerned, which needs the right to the change, and tells nothing else.
   */
  public static Endpoint.Handler asked(Endpoint.Handler find, Endpoint.Handler act) {
    return context -> {
      if (context.request().getHeader(ApiHeaders.FIND) == null) {
        return act.handle(context);
      }
      context.audit().outcomeFollows(); // or does not: this is no change
      return here(context, find);
    };
  }

  private static Future<Response> here(RequestContext context, Endpoint.Handler find) {
    return find.handle(context)
        .map(reply -> {
          ObjectNode body = reply.body();
          boolean concerned =
              body != null && (body.has("counts") || SHOWN.contains(body.path("kind").asText()));
          ObjectNode here = Json.object().put("kind", "Here").put(CONCERNED, concerned);
          if (body != null && Unowned.isIdle(body)) {
            here.set(Unowned.OWNER, body);
          }
          return Response.ok(here);
        });
  }

  /** Finds out who is concerned by a change; a controller that failed to start is not. */
  Future<List<PeerAnswer>> find(
      RequestContext context, ClusterScope scope, Endpoint.Handler find, List<Peer> others) {
    return cluster.everybody(
        context,
        scope,
        own -> here(own, find),
        others,
        peer ->
            send(
                context,
                peer.replica(),
                context.body().text(),
                false,
                Map.of(ApiHeaders.FIND, "1")));
  }

  /** Returns those who are concerned, of the answers to {@link #find}. */
  static List<PeerAnswer> concerned(RequestContext context, List<PeerAnswer> answers) {
    List<PeerAnswer> concerned =
        answers.stream()
            .filter(answer -> answer.found() && answer.json().path(CONCERNED).asBoolean())
            .toList();
    if (concerned.isEmpty()) {
      List<PeerAnswer> found = ClusterReads.found(answers);
      if (found.stream().allMatch(answer -> answer.json().has(Unowned.OWNER))) {
        throw Unowned.refusal(Unowned.parts(answers), answers);
      }
      throw ControllerCalls.stopped(context.param("c")).rejection();
    }
    return concerned;
  }

  /** A change of an item, wherever it is tracked. */
  public Endpoint.Handler item(Endpoint.Handler find, Endpoint.Handler act) {
    return at(new Place(find, () -> false), act);
  }

  /** A change of a controller, or of something in it, on every replica that runs it. */
  public Endpoint.Handler controller(Endpoint.Handler find, Endpoint.Handler act) {
    return at(new Place(find, () -> false), act);
  }

  /**
   * A change of a controller that all replicas follow by themselves.
   *
   * @param followed whether they do
   */
  public Endpoint.Handler followed(
      Endpoint.Handler find, Endpoint.Handler act, BooleanSupplier followed) {
    return at(new Place(find, followed), act);
  }

  /**
   * A change of what the replicas share, made by one that has it: this one if it can.
   *
   * @param here whether this replica has it
   */
  Endpoint.Handler shared(
      Endpoint.Handler find, Endpoint.Handler act, Predicate<RequestContext> here) {
    return at(new Place(find, () -> true, here), act);
  }

  private Endpoint.Handler at(Place place, Endpoint.Handler act) {
    return context -> {
      ClusterScope scope = ClusterScope.take(context);
      List<Peer> others = cluster.others(scope);
      if (others.isEmpty() || (scope.covers(cluster.self()) && place.here().test(context))) {
        return idempotency
            .part(act)
            .handle(context)
            .map(reply -> told(context, List.of(Outcome.of(cluster.self(), reply))));
      }
      context.query().done();
      return find(context, scope, place.find(), others)
          .compose(answers -> change(context, place, act, answers));
    };
  }

  private Future<Response> change(
      RequestContext context, Place place, Endpoint.Handler act, List<PeerAnswer> answers) {
    List<PeerAnswer> having = concerned(context, answers);
    List<PeerAnswer> targets = place.one().getAsBoolean() ? having.subList(0, 1) : having;
    String revision = context.request().getHeader("If-Match");
    if (targets.size() > 1 && revision != null && !revision.trim().equals("*")) {
      throw Problem.invalid(
              "invalid-query",
              "several replicas have it, each with revisions of its own; say with \"replica\" which"
                  + " of them If-Match is about",
              new Problem.Fault("parameter", "replica", "is needed with If-Match"))
          .rejection();
    }
    List<Outcome> missing =
        answers.stream().filter(answer -> !answer.ok()).map(Outcome::notSent).toList();
    context.audit().reason(context.body().peek("/reason"));
    boolean self = targets.getFirst().replica().equals(cluster.self());
    Endpoint.Handler own = idempotency.part(act);
    if (self && targets.size() == 1) {
      return own.handle(context)
          .map(reply -> told(context, joined(List.of(Outcome.of(cluster.self(), reply)), missing)));
    }
    List<Future<PeerAnswer>> asked = new ArrayList<>();
    for (PeerAnswer target : targets) {
      asked.add(
          target.replica().equals(cluster.self())
              ? cluster.own(context, own)
              : forward(context, target.replica()));
      if (asked.getFirst().failed()) {
        return asked.getFirst().mapEmpty(); // wrong whoever is asked, so nobody else is
      }
    }
    return Future.all(asked)
        .map(all -> {
          List<Outcome> outcomes = all.<PeerAnswer>list().stream().map(Outcome::of).toList();
          return told(context, joined(outcomes, missing));
        });
  }

  private static <T> List<T> joined(List<T> one, List<T> other) {
    List<T> both = new ArrayList<>(one);
    both.addAll(other);
    return both;
  }

  /** Asks another replica to make the change; the intent is recorded here, too. */
  private Future<PeerAnswer> forward(RequestContext context, String replica) {
    return context.change(() -> send(context, replica, context.body().text(), true, Map.of()));
  }

  /** Sends an order to another replica; one that changes nothing needs no record here. */
  Future<PeerAnswer> order(
      RequestContext context, String replica, ObjectNode order, Map<String, String> headers) {
    String text = Buffer.buffer(Json.write(order)).toString();
    return order.path("dryRun").asBoolean()
        ? send(context, replica, text, false, headers)
        : context.change(() -> send(context, replica, text, true, headers));
  }

  /** Sends a change to another replica, with all that makes it this one change. */
  private Future<PeerAnswer> send(
      RequestContext context,
      String replica,
      String body,
      boolean changes,
      Map<String, String> more) {
    Map<String, String> headers = new LinkedHashMap<>(more);
    for (String name : List.of("If-Match", ApiHeaders.IDEMPOTENCY_KEY)) {
      if (!changes && name.equals(ApiHeaders.IDEMPOTENCY_KEY)) {
        continue; // it is for the change that may follow
      }
      String value = context.request().getHeader(name);
      if (value != null) {
        headers.put(name, value);
      }
    }
    String query = context.request().query();
    return cluster
        .other(replica)
        .map(peer ->
            cluster.ask(
                peer,
                context,
                context.request().method(),
                context.below() + (query == null ? "" : "?" + query),
                Buffer.buffer(body),
                headers))
        .orElseGet(() ->
            Future.succeededFuture(
                PeerAnswer.none(replica, PeerAnswer.State.UNREACHABLE, "it has left", false)));
  }

  /** Says what became of a change: the answer of the one replica, or of all of them together. */
  private Response told(RequestContext context, List<Outcome> outcomes) {
    List<Outcome> good = outcomes.stream().filter(Outcome::good).toList();
    if (good.isEmpty()) {
      throw Outcome.nothingDone(outcomes);
    }
    boolean partial = good.size() < outcomes.size();
    Response reply =
        good.size() == 1 ? good.getFirst().reply() : Response.ok(together(context, good));
    ObjectNode body = reply.body();
    if (body == null) {
      if (!partial) {
        return reply; // a drop has nothing to tell
      }
      body = dropped(context);
      reply = Response.ok(body);
    }
    body.put("replica", Json.clean(good.getFirst().replica()));
    body.put("partial", partial);
    ArrayNode results = body.putArray("results");
    outcomes.forEach(outcome -> results.add(outcome.toJson()));
    return reply;
  }

  private static ObjectNode dropped(RequestContext context) {
    return Json.object()
        .put("kind", "ActionResult")
        .put("controller", context.param("c"))
        .put("id", context.param("id"))
        .put("action", "drop")
        .put("result", "applied");
  }

  /** Makes one answer of the answers of several: of controllers one, of actions the first. */
  private static ObjectNode together(RequestContext context, List<Outcome> good) {
    List<ObjectNode> bodies =
        good.stream()
            .map(outcome -> outcome.reply().body())
            .filter(ObjectNode.class::isInstance)
            .toList();
    if (bodies.isEmpty()) {
      return dropped(context); // only a drop has no body
    }
    ObjectNode first = bodies.getFirst();
    if (first.path("kind").asText().equals("Controller")) {
      return ControllerMerge.merge(bodies);
    }
    boolean applied = good.stream().anyMatch(outcome -> outcome.state() == Outcome.State.DONE);
    return first.deepCopy().put("result", applied ? "applied" : "skipped");
  }
}
