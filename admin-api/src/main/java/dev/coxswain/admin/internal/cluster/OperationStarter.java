// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.config.ChangePolicy;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.idempotency.Idempotency;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.operation.CombinedToken;
import dev.coxswain.admin.internal.operation.OperationHeader;
import dev.coxswain.admin.internal.operation.OperationMerge;
import dev.coxswain.admin.internal.operation.OperationRequest;
import dev.coxswain.admin.internal.operation.OperationView;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Begins operations on all replicas that run the controller: each has a part under the same id, and
 * the others take note of it, so that a part whose replica is gone is not forgotten. Confined to
 * the admin event loop.
 */
public final class OperationStarter {

  private static final String TOKEN = "confirmToken";
  private static final String DRY_RUN = "dryRun";
  private static final String MATCHED = "matched";
  private static final String NOTE = "/notes";

  /** Who is concerned, how many items, and to begin: each waits for all replicas. */
  private static final int ROUNDS = 3;

  private final Cluster cluster;
  private final ClusterWrites writes;
  private final Operations local;
  private final Endpoint.Handler find;
  private final ChangePolicy policy;
  private final Endpoint.Handler own;

  /**
   * Puts it together.
   *
   * @param find shows the controller, if this replica has it
   */
  public OperationStarter(
      Cluster cluster,
      ClusterWrites writes,
      Operations local,
      Endpoint.Handler find,
      ChangePolicy policy,
      Idempotency idempotency) {
    this.cluster = cluster;
    this.writes = writes;
    this.local = local;
    this.find = find;
    this.policy = policy;
    this.own = idempotency.part(local::create);
  }

  public Future<Response> create(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    List<Peer> others = cluster.others(scope);
    context.inRounds(ROUNDS, RequestContext.PEER_TIMEOUT_MILLIS);
    if (others.isEmpty()) {
      return own.handle(context)
          .map(reply -> ClusterOperations.begun(cluster, reply, cluster.self(), List.of()));
    }
    context.query().done();
    OperationRequest order =
        OperationRequest.read(
            Body.parse(Json.write(context.body().tree())), policy.itemsPerSecond());
    context.audit().reason(order.reason());
    context.audit().selector(OperationView.selector(order.request().filter()).toString());
    return writes.find(context, scope, find, others).compose(answers -> order(context, answers));
  }

  private Future<Response> order(RequestContext context, List<PeerAnswer> answers) {
    List<String> targets =
        ClusterWrites.concerned(context, answers).stream().map(PeerAnswer::replica).toList();
    List<PeerAnswer> missing = answers.stream().filter(answer -> !answer.ok()).toList();
    Map<String, String> tokens = CombinedToken.parts(context.body().peek("/" + TOKEN));
    if (tokens != null && !tokens.keySet().equals(Set.copyOf(targets))) {
      throw Problem.of(
              410,
              "confirm-token-expired",
              "Confirmation expired",
              "the replicas that run the controller and can be reached are not those of the"
                  + " preview; ask for another one; nothing was changed")
          .rejection();
    }
    return targets.size() == 1
        ? alone(context, targets.getFirst(), missing)
        : together(context, targets, tokens, missing);
  }

  /** All of it is at one replica. */
  private Future<Response> alone(RequestContext context, String target, List<PeerAnswer> missing) {
    ObjectNode order = context.body().tree();
    context.inRounds(1, Long.MAX_VALUE);
    Future<Outcome> outcome =
        target.equals(cluster.self())
            ? own.handle(context).map(reply -> Outcome.of(target, reply))
            : writes.order(context, target, order, Map.of()).map(Outcome::of);
    return outcome.map(what -> {
      if (!what.good()) {
        throw Outcome.nothingDone(List.of(what));
      }
      ObjectNode body = what.reply().body();
      if (body != null && what.answer().status() == 202) {
        note(context, order, new OperationHeader(body.path("id").asText(), List.of(target)));
      }
      return ClusterOperations.begun(cluster, what.reply(), target, missing);
    });
  }

  /** Each has a part; what is allowed is decided by all parts together, before the first begins. */
  private Future<Response> together(
      RequestContext context,
      List<String> targets,
      @Nullable Map<String, String> tokens,
      List<PeerAnswer> missing) {
    ObjectNode order = context.body().tree();
    boolean dry = order.path(DRY_RUN).asBoolean();
    if (tokens == null && (order.has(TOKEN) || (!dry && order.has("asOfSeq")))) {
      throw Problem.of(
              order.has(TOKEN) ? 410 : 422,
              "confirm-token-invalid",
              "Unknown confirmation",
              "several replicas run this controller, each with numbers of its own: neither asOfSeq"
                  + " nor the confirmToken of one of them is enough; ask all for a preview")
          .rejection();
    }
    ObjectNode count = order.deepCopy().put(DRY_RUN, true);
    // It looks at every item there is: for a million and a process just started, that takes a
    // while.
    context.inRounds(dry ? 1 : 2, Long.MAX_VALUE);
    return each(targets, replica -> part(context, replica, confirmed(count, replica, tokens), null))
        .compose(counts -> {
          Map<String, ObjectNode> previews = new TreeMap<>();
          for (PeerAnswer answer : counts) {
            if (!answer.found()) {
              throw notCounted(answer);
            }
            previews.put(answer.replica(), answer.json());
          }
          ObjectNode preview = OperationMerge.preview(previews);
          if (dry) {
            List<PeerAnswer> asked = new ArrayList<>(counts);
            asked.addAll(missing);
            return Future.succeededFuture(
                Response.ok(Cluster.mark(preview, cluster.self(), asked)));
          }
          checkCount(order, preview.path(MATCHED).asInt(), tokens != null);
          return execute(context, targets, tokens, missing, order);
        });
  }

  private static Rejection notCounted(PeerAnswer answer) {
    return answer.ok()
        ? answer.problem().rejection()
        : Problem.of(
                503,
                "replica-unreachable",
                "Replica unreachable",
                "replica \""
                    + Json.line(answer.replica(), 64)
                    + "\" could not count its items: "
                    + answer.error()
                    + "; nothing was changed")
            .with("Retry-After", "1")
            .rejection();
  }

  private void checkCount(ObjectNode order, int matched, boolean confirmed) {
    int most = order.path("maxAffected").asInt(Integer.MAX_VALUE);
    if (matched > most) {
      throw Problem.of(
              409,
              "too-many-affected",
              "Too many items",
              matched + " items match and maxAffected is " + most + "; nothing was changed")
          .withCurrent(Json.object().put(MATCHED, matched))
          .rejection();
    }
    if (!confirmed && matched > policy.safeCount()) {
      throw Problem.of(
              409,
              "confirmation-required",
              "Confirmation required",
              matched
                  + " items match and more than "
                  + policy.safeCount()
                  + " need a confirmToken; ask for a preview with \"dryRun\": true and send its"
                  + " token with the order; nothing was changed")
          .withCurrent(Json.object().put(MATCHED, matched).put("safeCount", policy.safeCount()))
          .rejection();
    }
  }

  private Future<Response> execute(
      RequestContext context,
      List<String> targets,
      @Nullable Map<String, String> tokens,
      List<PeerAnswer> missing,
      ObjectNode order) {
    String key = context.request().getHeader(ApiHeaders.IDEMPOTENCY_KEY);
    OperationHeader ticket = OperationHeader.draw(context.actor(), key, targets);
    context.audit().operation(ticket.id());
    context.inRounds(1, Long.MAX_VALUE);
    return each(
            targets, replica -> part(context, replica, confirmed(order, replica, tokens), ticket))
        .map(answers -> {
          List<Outcome> outcomes = answers.stream().map(Outcome::of).toList();
          if (outcomes.stream().noneMatch(Outcome::good)) {
            throw Outcome.nothingDone(outcomes);
          }
          OperationHeader begun = ticket.refusedBy(refused(outcomes));
          note(context, order, begun);
          Map<String, ObjectNode> parts = new TreeMap<>();
          outcomes.stream()
              .filter(Outcome::good)
              .forEach(outcome -> {
                ObjectNode part = outcome.answer().json();
                OperationView.refusals(part, begun.refused());
                parts.put(outcome.replica(), part);
              });
          List<PeerAnswer> asked = new ArrayList<>(answers);
          asked.addAll(missing);
          ObjectNode json =
              Cluster.mark(OperationMerge.operation(parts, asked), cluster.self(), asked);
          json.set("results", Outcome.results(outcomes));
          return Response.accepted(json, ApiPaths.ROOT + "/operations/" + ticket.id());
        });
  }

  /** Returns the order with the confirmation that a replica gave for its part. */
  private static ObjectNode confirmed(
      ObjectNode order, String replica, @Nullable Map<String, String> tokens) {
    return tokens == null ? order : order.deepCopy().put(TOKEN, tokens.get(replica));
  }

  /** Returns who certainly has not begun, and why. */
  private static Map<String, String> refused(List<Outcome> outcomes) {
    Map<String, String> refused = new TreeMap<>();
    for (Outcome outcome : outcomes) {
      if (outcome.state() == Outcome.State.FAILED) {
        String problem = outcome.answer().slug();
        refused.put(outcome.replica(), problem.isEmpty() ? "refused" : problem);
      } else if (outcome.state() == Outcome.State.NOT_SENT) {
        refused.put(outcome.replica(), "replica-unreachable");
      }
    }
    return refused;
  }

  /** Has one part counted, with what confirms it, or begun. */
  private Future<PeerAnswer> part(
      RequestContext context, String replica, ObjectNode order, @Nullable OperationHeader ticket) {
    if (!replica.equals(cluster.self())) {
      return writes.order(context, replica, order, ticket == null ? Map.of() : ticket.headers());
    }
    context.rewrite(order);
    if (ticket != null) {
      context.attach(OperationHeader.class, ticket);
    }
    return cluster.own(context, ticket == null ? local::create : own);
  }

  /** Asks in the order of the replicas; nobody else is asked when the first says it is wrong. */
  private static Future<List<PeerAnswer>> each(
      List<String> replicas, Function<String, Future<PeerAnswer>> question) {
    List<Future<PeerAnswer>> asked = new ArrayList<>();
    for (String replica : replicas) {
      asked.add(question.apply(replica));
      if (asked.getFirst().failed()) {
        return asked.getFirst().mapEmpty();
      }
    }
    return Future.all(asked).map(all -> all.list());
  }

  /**
   * Lets those know of it who have no part of it, and everybody who refused theirs. What is lost of
   * this is only the memory.
   */
  private void note(RequestContext context, ObjectNode order, OperationHeader ticket) {
    if (concerns(ticket, cluster.self())) {
      local.noted(
          context,
          ticket,
          OperationRequest.read(Body.parse(Json.write(order)), policy.itemsPerSecond()));
    }
    String path = context.below() + NOTE;
    Buffer body = Buffer.buffer(Json.write(order));
    for (Peer peer : cluster.others()) {
      if (concerns(ticket, peer.replica())) {
        cluster.ask(peer, context, HttpMethod.POST, path, body, ticket.headers());
      }
    }
  }

  private static boolean concerns(OperationHeader ticket, String replica) {
    return !ticket.participants().contains(replica) || !ticket.refused().isEmpty();
  }
}
