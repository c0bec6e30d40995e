// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.idempotency.Idempotency;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.model.ActionResource;
import dev.coxswain.admin.internal.model.ChangeResource;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.FindResult;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.model.LimiterResource;
import dev.coxswain.admin.internal.model.PluginResource;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Unowned;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.slot.ItemSlots;
import dev.coxswain.admin.internal.slot.ReplicaDrain;
import dev.coxswain.admin.internal.undo.Undo;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes on the replicas that they concern. A read finds the replicas that track the item, or run
 * the controller; then each of them receives the change, once. The response has the outcome of each.
 * Confined to the admin event loop.
 */
public final class ClusterWrites {

  private final Cluster cluster;
  private final Idempotency idempotency;
  private final ItemSlots slots;

  public ClusterWrites(Cluster cluster, ItemSlots slots, Idempotency idempotency) {
    this.cluster = cluster;
    this.slots = slots;
    this.idempotency = idempotency;
  }

  /**
   * The replicas of a change.
   *
   * @param type the type of the response to the change
   * @param find reads the subject of the change on this replica
   * @param one whether one of the replicas is enough, since the others follow it
   * @param here whether this replica can be the one, so that no other replica is read
   * @param slot returns the slot that decides which replicas are read; null when all are
   */
  private record Target(
      Class<?> type,
      Endpoint.Handler find,
      BooleanSupplier one,
      Predicate<RequestContext> here,
      @Nullable Function<RequestContext, Optional<ItemSlot>> slot) {

    static Target of(
        Class<?> type, Endpoint.Handler find, BooleanSupplier one, Predicate<RequestContext> here) {
      return new Target(type, find, one, here, null);
    }
  }

  /**
   * Returns the handler of changes from other replicas. With {@link ApiHeaders#FIND}, it only
   * returns whether this replica is concerned, which requires the right to the change.
   */
  public static Endpoint.FindingHandler orFind(Endpoint.Handler find, Endpoint.Handler act) {
    return context -> {
      if (context.request().getHeader(ApiHeaders.FIND) == null) {
        return act.handle(context);
      }
      context.audit().outcomeFollows(); // a read has no outcome
      return here(context, find);
    };
  }

  private static Future<Response> here(RequestContext context, Endpoint.Handler find) {
    return find.handle(context)
        .map(reply -> {
          return Response.ok(
              switch (reply.body()) {
                case ControllerResource one ->
                    new FindResult(one.isRunning(), one.isIdle() ? one : null);
                case ItemResource _, LimiterResource _, PluginResource _ ->
                    new FindResult(true, null);
                case null, default -> new FindResult(false, null);
              });
        });
  }

  /** Reads which replicas a change concerns. */
  Future<List<PeerAnswer>> find(
      RequestContext context, ClusterScope scope, Endpoint.Handler find, List<Peer> others) {
    return cluster.requestAll(
        context,
        scope.covers(cluster.self()),
        own -> here(own, find),
        others,
        peer -> findAt(context, peer));
  }

  /** Reads which replicas a change concerns: those that may track the item, or all of them. */
  private Future<List<PeerAnswer>> find(
      RequestContext context, ClusterScope scope, Target target, List<Peer> others) {
    Function<RequestContext, Optional<ItemSlot>> slot = target.slot();
    return slot == null || !scope.equals(ClusterScope.ALL)
        ? find(context, scope, target.find(), others)
        : new OwnerRequests(
                cluster, context, own -> here(own, target.find()), peer -> findAt(context, peer))
            .send(
                slot.apply(context),
                slots.ofController(context.param("c")),
                () -> find(context, scope, target.find(), others));
  }

  /** Reads whether a change concerns another replica. */
  Future<PeerAnswer> findAt(RequestContext context, Peer peer) {
    Map<String, String> headers = Map.of(ApiHeaders.FIND, "1");
    return send(context, peer.replica(), context.body(), false, headers, FindResult.class);
  }

  /** Returns the concerned replicas among the answers to {@link #find} of a controller. */
  static List<PeerAnswer> concerned(String controller, List<PeerAnswer> answers) {
    List<PeerAnswer> concerned =
        answers.stream()
            .filter(answer ->
                answer.found()
                    && answer.maybe(FindResult.class).filter(FindResult::concerned).isPresent())
            .toList();
    if (concerned.isEmpty()) {
      List<PeerAnswer> found = Cluster.found(answers);
      if (Unowned.parts(found).size() == found.size()) {
        throw Unowned.refusal(Unowned.parts(answers), answers);
      }
      throw ControllerCalls.stopped(controller).rejection();
    }
    return concerned;
  }

  /**
   * Returns a change of one item: on the owner of its slot, or on every replica that tracks it when
   * slots do not decide.
   */
  public Endpoint.Handler item(Endpoint.Handler find, Endpoint.Handler act) {
    return slotted(find, act, context -> slots.of(context.param("c"), context.item()));
  }

  /** Returns the addition of a request: on the owner of its slot, as {@link #item}. */
  public Endpoint.Handler added(Endpoint.Handler find, Endpoint.Handler act) {
    return slotted(
        find,
        act,
        context -> {
          Optional<ItemId> added = ItemSlots.added(context.body());
          added.ifPresent(
              context.audit()::item); // recorded here, too, when another replica adds it
          return added.flatMap(id -> slots.of(context.param("c"), id));
        });
  }

  private Endpoint.Handler slotted(
      Endpoint.Handler find,
      Endpoint.Handler act,
      Function<RequestContext, Optional<ItemSlot>> slot) {
    return at(new Target(ActionResource.class, find, () -> false, context -> false, slot), act);
  }

  /** Returns a change of the replica in the path, on that replica. */
  public Endpoint.Handler replica(String action, Endpoint.Handler act) {
    return context -> {
      context.audit().action(action); // recorded here, too, when another replica makes the change
      context.query().done();
      String name = context.param("r");
      cluster.others(new ClusterScope(false, name)); // throws for an unknown replica
      context.audit().reason(context.body().peek("/reason"));
      context.audit().change(ReplicaDrain.noted(name, context.body().isTrue("force")));
      Future<Outcome> outcome =
          name.equals(cluster.self())
              ? idempotency.part(act).handle(context).map(reply -> Outcome.of(name, reply))
              : forward(context, name, ChangeResource.class).map(Outcome::of);
      return outcome.map(done -> response(context, List.of(done)));
    };
  }

  /**
   * Returns a change of a controller or of a plug-in, on every replica that has it.
   *
   * @param type the type of the response to the change
   */
  public Endpoint.Handler everywhere(Class<?> type, Endpoint.Handler find, Endpoint.Handler act) {
    return at(Target.of(type, find, () -> false, context -> false), act);
  }

  /**
   * Returns a change of a controller on one replica, if the others follow it.
   *
   * @param followed whether they do
   */
  public Endpoint.Handler followed(
      Endpoint.Handler find, Endpoint.Handler act, BooleanSupplier followed) {
    return at(Target.of(ControllerResource.class, find, followed, context -> false), act);
  }

  /**
   * Returns a change of a shared object, on one replica that has it: this one if it can.
   *
   * @param type the type of the response to the change
   * @param here whether this replica has it
   */
  Endpoint.Handler shared(
      Class<?> type, Endpoint.Handler find, Endpoint.Handler act, Predicate<RequestContext> here) {
    return at(Target.of(type, find, () -> true, here), act);
  }

  private Endpoint.Handler at(Target target, Endpoint.Handler act) {
    return context -> {
      ClusterScope scope = ClusterScope.take(context);
      List<Peer> others = cluster.others(scope);
      // What restores a state is decided by one replica, so that one of two requests at once wins.
      boolean here = !context.target().isRerouted() && target.here().test(context);
      if (others.isEmpty() || (scope.covers(cluster.self()) && here)) {
        return idempotency
            .part(act)
            .handle(context)
            .map(reply -> response(context, List.of(Outcome.of(cluster.self(), reply))));
      }
      context.query().done();
      return find(context, scope, target, others)
          .compose(answers -> change(context, target, act, answers));
    };
  }

  private Future<Response> change(
      RequestContext context, Target target, Endpoint.Handler act, List<PeerAnswer> answers) {
    List<PeerAnswer> having = concerned(context.param("c"), answers);
    boolean isStored = target.one().getAsBoolean() && target.type() == ControllerResource.class;
    if (context.target().isRerouted() && !isStored) { // the store decides about a pause
      having = having.stream().sorted(Comparator.comparing(PeerAnswer::replica)).toList();
    }
    List<PeerAnswer> targets = target.one().getAsBoolean() ? having.subList(0, 1) : having;
    String revision = context.target().headerForPeers("If-Match");
    if (targets.size() > 1 && revision != null && !revision.trim().equals("*")) {
      throw Problem.invalid(
              "invalid-query",
              "several replicas have it, each with its own revisions; select one of them with"
                  + " \"replica\" to use If-Match",
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
          .map(reply ->
              response(context, joined(List.of(Outcome.of(cluster.self(), reply)), missing)));
    }
    if (context.target().isRerouted()) {
      return inOrder(context, target, own, targets, new ArrayList<>())
          .map(outcomes -> response(context, joined(outcomes, missing)));
    }
    List<Future<PeerAnswer>> changes = new ArrayList<>();
    for (PeerAnswer one : targets) {
      changes.add(
          one.replica().equals(cluster.self())
              ? cluster.own(context, own)
              : forward(context, one.replica(), target.type()));
      if (changes.getFirst().failed()) {
        return changes.getFirst().mapEmpty(); // invalid on every replica, so not sent to the others
      }
    }
    return Future.all(changes)
        .map(all -> {
          List<Outcome> outcomes = all.<PeerAnswer>list().stream().map(Outcome::of).toList();
          return response(context, joined(outcomes, missing));
        });
  }

  /** Makes a change on one replica after another, and on no more after a refusal of the first that it concerns. */
  private Future<List<Outcome>> inOrder(
      RequestContext context,
      Target target,
      Endpoint.Handler own,
      List<PeerAnswer> targets,
      List<Outcome> outcomes) {
    boolean refused =
        !outcomes.isEmpty()
            && !outcomes.getLast().good()
            && outcomes.stream().noneMatch(one -> one.state() == Outcome.State.DONE);
    if (outcomes.size() == targets.size() || refused) {
      return Future.succeededFuture(outcomes);
    }
    String next = targets.get(outcomes.size()).replica();
    Future<PeerAnswer> change =
        next.equals(cluster.self())
            ? cluster.own(context, own)
            : forward(context, next, target.type());
    return change.compose(answer -> {
      outcomes.add(Outcome.of(answer));
      return inOrder(context, target, own, targets, outcomes);
    });
  }

  private static List<Outcome> joined(List<Outcome> done, List<Outcome> missing) {
    return Stream.concat(done.stream(), missing.stream()).toList();
  }

  /** Sends the change to another replica; only an undo of this one can be a dry run. */
  private Future<PeerAnswer> forward(RequestContext context, String replica, Class<?> type) {
    boolean dryRun = context.target().isRerouted() && context.body().isTrue(Undo.DRY_RUN);
    return order(context, replica, context.body(), dryRun, Map.of(), type);
  }

  /** Sends a change to another replica; records the intent on this one, too, but none of a dry run. */
  Future<PeerAnswer> order(
      RequestContext context,
      String replica,
      Body body,
      boolean dryRun,
      Map<String, String> headers,
      Class<?> type) {
    return dryRun
        ? send(context, replica, body, false, headers, type)
        : context
            .change(() -> send(context, replica, body, true, headers, type))
            // Recorded here, too: the other replica may end before it has stored its record.
            .onSuccess(answer -> context.audit().changeOfPeer(answer.change()));
  }

  /** Sends a change, or a read before it, with the headers of the client that belong to it. */
  private Future<PeerAnswer> send(
      RequestContext context,
      String replica,
      Body body,
      boolean changes,
      Map<String, String> more,
      Class<?> type) {
    Map<String, String> headers = new LinkedHashMap<>(more);
    for (String name : List.of("If-Match", ApiHeaders.IDEMPOTENCY_KEY)) {
      if (!changes && name.equals(ApiHeaders.IDEMPOTENCY_KEY)) {
        continue; // the key is for the change
      }
      String value = context.target().headerForPeers(name);
      if (value != null) {
        headers.put(name, value);
      }
    }
    return cluster
        .other(replica)
        .map(peer ->
            cluster.send(
                peer,
                context,
                context.target().method(),
                Cluster.address(context.below(), context.target().queryForPeers()),
                Buffer.buffer(body.text()),
                headers,
                type))
        .orElseGet(() -> Future.succeededFuture(PeerAnswer.left(replica)));
  }

  /** Returns the response of the one replica, or the merged response of several. */
  private Response response(RequestContext context, List<Outcome> outcomes) {
    List<Outcome> good = outcomes.stream().filter(Outcome::good).toList();
    if (good.isEmpty()) {
      throw Outcome.nothingDone(outcomes);
    }
    boolean partial = good.size() < outcomes.size();
    Response reply = good.getFirst().reply();
    if (good.size() == 1 && reply.body() == null && !partial) {
      return reply; // a drop has no body
    }
    ChangedValue whole = Outcome.together(context, good);
    Object body = whole.on(good.getFirst().replica(), partial, Outcome.results(outcomes));
    return good.size() == 1 && reply.body() != null ? reply.withBody(body) : Response.ok(body);
  }
}
