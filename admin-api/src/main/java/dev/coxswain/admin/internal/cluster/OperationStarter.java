// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.history.StoredHistory;
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
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.operation.Confirmation;
import dev.coxswain.admin.internal.operation.OperationHeader;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.operation.OperationMerge;
import dev.coxswain.admin.internal.operation.OperationPreview;
import dev.coxswain.admin.internal.operation.OperationRequest;
import dev.coxswain.admin.internal.operation.OperationView;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.operation.StoredOperations;
import dev.coxswain.admin.internal.options.ChangePolicy;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.spi.Clock;
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
 * Begins operations on all replicas that run the controller. Each has a part under the same id. The
 * other replicas store a record of the operation, which remains when a participant is gone. Confined
 * to the admin event loop.
 */
public final class OperationStarter {

  private static final String NOTE = "/notes";

  /** The concerned replicas, the count and the start: each waits for all replicas. */
  private static final int ROUNDS = 3;

  private final Cluster cluster;
  private final ClusterWrites writes;
  private final Operations local;
  private final OperationLog log;
  private final Endpoint.Handler find;
  private final ChangePolicy policy;
  private final Endpoint.Handler own;
  private final History history;
  private final Clock clock;

  /**
   * Creates the handler.
   *
   * @param find reads the controller on this replica
   */
  public OperationStarter(
      Cluster cluster,
      ClusterWrites writes,
      Operations local,
      OperationLog log,
      Endpoint.Handler find,
      ChangePolicy policy,
      Idempotency idempotency,
      History history,
      Clock clock) {
    this.history = history;
    this.clock = clock;
    this.cluster = cluster;
    this.writes = writes;
    this.local = local;
    this.log = log;
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
          .map(reply -> ClusterOperations.merged(cluster, log, reply, cluster.self(), List.of()));
    }
    context.query().done();
    PartRequests requests = PartRequests.read(context.body(), policy.itemsPerSecond());
    context.audit().reason(requests.request().reason());
    context.audit().selector(OperationView.selectorText(requests.request()));
    return writes
        .find(context, scope, find, others)
        .compose(answers -> begin(context, requests, answers));
  }

  private Future<Response> begin(
      RequestContext context, PartRequests requests, List<PeerAnswer> answers) {
    List<String> targets =
        ClusterWrites.concerned(context.param("c"), answers).stream()
            .map(PeerAnswer::replica)
            .toList();
    List<PeerAnswer> missing = answers.stream().filter(answer -> !answer.ok()).toList();
    Map<String, String> tokens = requests.tokens();
    if (tokens != null && !tokens.keySet().equals(Set.copyOf(targets))) {
      throw Problem.of(
              410,
              "confirm-token-expired",
              "Confirmation expired",
              "the replicas that run the controller and can be reached are not those of the"
                  + " preview; request another preview; nothing was changed")
          .rejection();
    }
    return targets.size() == 1
        ? alone(context, requests, targets.getFirst(), missing)
        : together(context, requests, targets, missing);
  }

  /** Begins an operation that one replica carries out. */
  private Future<Response> alone(
      RequestContext context, PartRequests requests, String target, List<PeerAnswer> missing) {
    context.inRounds(1, Long.MAX_VALUE);
    Future<Outcome> outcome =
        target.equals(cluster.self())
            ? own.handle(context).map(reply -> Outcome.of(target, reply))
            : ordered(context, target, requests.whole(), Map.of()).map(Outcome::of);
    return outcome.map(done -> {
      if (!done.good()) {
        throw Outcome.nothingDone(List.of(done));
      }
      if (done.reply().body() instanceof OperationResource begun && done.answer().status() == 202) {
        addRemotes(context, requests, new OperationHeader(begun.id(), List.of(target)));
      }
      return ClusterOperations.merged(cluster, log, done.reply(), target, missing);
    });
  }

  /** Begins an operation of several replicas; the limits apply to all parts together. */
  private Future<Response> together(
      RequestContext context,
      PartRequests requests,
      List<String> targets,
      List<PeerAnswer> missing) {
    boolean dry = requests.isDryRun();
    if (requests.isOfOneReplica()) {
      throw Problem.of(
              requests.request().confirmToken() == null ? 422 : 410,
              "confirm-token-invalid",
              "Unknown confirmation",
              "several replicas run this controller, each with its own numbers: neither asOfSeq nor"
                  + " the confirmToken of one of them is enough; request a preview of all")
          .rejection();
    }
    // A count reads every item, which takes long for a million items in a new process.
    context.inRounds(dry ? 1 : 2, Long.MAX_VALUE);
    return each(targets, replica -> part(context, replica, requests.counting(replica), null))
        .compose(counts -> {
          Map<String, OperationPreview> previews = new TreeMap<>();
          for (PeerAnswer answer : counts) {
            if (!answer.found()) {
              throw notCounted(answer);
            }
            previews.put(answer.replica(), answer.as(OperationPreview.class));
          }
          OperationPreview preview = OperationMerge.preview(previews);
          if (dry) {
            List<PeerAnswer> all = new ArrayList<>(counts);
            all.addAll(missing);
            return Future.succeededFuture(
                Response.ok(Cluster.marked(preview, cluster.self(), all)));
          }
          int most = requests.tokens() == null ? policy.safeCount() : Integer.MAX_VALUE;
          new Confirmation(requests.maxAffected(), -1, most).check((int) preview.matched(), policy);
          return execute(context, requests, targets, missing);
        });
  }

  private static Rejection notCounted(PeerAnswer answer) {
    return answer.ok()
        ? answer.relayed().rejection()
        : Cluster.unreachable(
                "replica \""
                    + Json.line(answer.replica(), 64)
                    + "\" could not count its items: "
                    + answer.error()
                    + "; nothing was changed")
            .rejection();
  }

  private Future<Response> execute(
      RequestContext context,
      PartRequests requests,
      List<String> targets,
      List<PeerAnswer> missing) {
    String key = context.request().getHeader(ApiHeaders.IDEMPOTENCY_KEY);
    OperationHeader header = OperationHeader.create(context.actor(), key, targets);
    if (key == null || log.find(header.id()).isPresent()) {
      return execute(context, requests, header, missing);
    }
    return history
        .read()
        .compose(stored -> {
          Response repeated = repeated(context, stored, requests.request(), header);
          if (repeated != null) {
            return Future.succeededFuture(repeated);
          }
          return execute(
              context,
              requests,
              StoredOperations.isOver(stored, header.id(), this::isHere)
                  ? OperationHeader.create(context.actor(), null, targets) // its id is used up
                  : header,
              missing);
        });
  }

  private boolean isHere(String replica) {
    return replica.equals(cluster.self()) || cluster.other(replica).isPresent();
  }

  /** Returns the operation that the same request has begun before the replicas were restarted. */
  private @Nullable Response repeated(
      RequestContext context,
      StoredHistory stored,
      OperationRequest request,
      OperationHeader header) {
    return StoredOperations.repeated(
            stored,
            header,
            context.param("c"),
            request,
            context.actor(),
            clock.instant(),
            Idempotency.VALIDITY)
        .map(parts ->
            Response.accepted(
                Cluster.marked(
                    OperationMerge.operation(parts, parts, log), cluster.self(), List.of()),
                ApiPaths.ROOT + "/operations/" + header.id()))
        .orElse(null);
  }

  private Future<Response> execute(
      RequestContext context,
      PartRequests requests,
      OperationHeader header,
      List<PeerAnswer> missing) {
    List<String> targets = header.participants();
    context.audit().operation(header.id());
    context.inRounds(1, Long.MAX_VALUE);
    return each(targets, replica -> part(context, replica, requests.starting(replica), header))
        .map(answers -> {
          List<Outcome> outcomes = answers.stream().map(Outcome::of).toList();
          if (outcomes.stream().noneMatch(Outcome::good)) {
            throw Outcome.nothingDone(outcomes);
          }
          OperationHeader begun = header.refusedBy(refused(outcomes));
          addRemotes(context, requests, begun);
          List<PeerAnswer> parts =
              outcomes.stream()
                  .filter(Outcome::good)
                  .map(outcome -> refused(outcome.answer(), begun))
                  .toList();
          List<PeerAnswer> all = new ArrayList<>(answers);
          all.addAll(missing);
          OperationResource whole =
              OperationMerge.operation(parts, all, log)
                  .marked(
                      cluster.self(),
                      all.stream().anyMatch(answer -> !answer.whole()),
                      PeerAnswer.states(all))
                  .withResults(Outcome.results(outcomes));
          return Response.accepted(whole, ApiPaths.ROOT + "/operations/" + header.id());
        });
  }

  /** Returns a part with the participants that refused theirs. */
  private static PeerAnswer refused(PeerAnswer part, OperationHeader begun) {
    return begun.refused().isEmpty()
        ? part
        : PeerAnswer.ok(
            part.replica(),
            part.status(),
            part.as(OperationResource.class).withRefusals(begun.refused()));
  }

  /** Returns the replicas that have not begun, with the kinds of their problems. */
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

  /** Counts the items of one part, or begins it under a header. */
  private Future<PeerAnswer> part(
      RequestContext context, String replica, Body request, @Nullable OperationHeader header) {
    if (!replica.equals(cluster.self())) {
      return ordered(context, replica, request, header == null ? Map.of() : header.headers());
    }
    context.rewrite(request);
    if (header != null) {
      context.attach(OperationHeader.class, header);
    }
    return cluster.own(context, header == null ? local::create : own);
  }

  private Future<PeerAnswer> ordered(
      RequestContext context, String replica, Body request, Map<String, String> headers) {
    boolean dryRun = request.isTrue("dryRun");
    return writes.order(
        context,
        replica,
        request,
        dryRun,
        headers,
        dryRun ? OperationPreview.class : OperationResource.class);
  }

  /** Sends requests in the order of the replicas; stops when the first is invalid. */
  private static Future<List<PeerAnswer>> each(
      List<String> replicas, Function<String, Future<PeerAnswer>> request) {
    List<Future<PeerAnswer>> answers = new ArrayList<>();
    for (String replica : replicas) {
      answers.add(request.apply(replica));
      if (answers.getFirst().failed()) {
        return answers.getFirst().mapEmpty();
      }
    }
    return Future.all(answers).map(all -> all.list());
  }

  /**
   * Sends the record of the operation to the replicas without a part, and to all when a part was
   * refused. A failure is ignored: only the record is lost.
   */
  private void addRemotes(RequestContext context, PartRequests requests, OperationHeader header) {
    if (concerns(header, cluster.self())) {
      local.addRemote(context, header, requests.request());
    }
    String path = context.below() + NOTE;
    Buffer body = Buffer.buffer(requests.whole().text());
    for (Peer peer : cluster.others()) {
      if (concerns(header, peer.replica())) {
        cluster.send(
            peer, context, HttpMethod.POST, path, body, header.headers(), ObjectNode.class);
      }
    }
  }

  private static boolean concerns(OperationHeader header, String replica) {
    return !header.participants().contains(replica) || !header.refused().isEmpty();
  }
}
