// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.PeerClient;
import dev.coxswain.admin.internal.resource.Unowned;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of the cluster, and requests to all of them. A replica answers a request of another
 * replica from its own data only, so no request is forwarded twice. Confined to the admin event
 * loop.
 */
public final class Cluster {

  /** The key of the admin API among the published addresses of a replica. */
  static final String ADDRESS = "admin";

  private final ControllerDirectory directory;
  private final PeerClient client;

  public Cluster(ControllerDirectory directory, PeerClient client) {
    this.directory = directory;
    this.client = client;
  }

  public String self() {
    return directory.replica();
  }

  /** Returns the other replicas by name. */
  public List<Peer> others() {
    Map<String, Peer> byName = new TreeMap<>();
    for (ReplicaInfo replica : directory.replicas()) {
      if (!replica.name().equals(self())) {
        byName.put(
            replica.name(),
            new Peer(replica.name(), replica.addresses().getOrDefault(ADDRESS, "")));
      }
    }
    return List.copyOf(byName.values());
  }

  Optional<Peer> other(String name) {
    return others().stream().filter(peer -> peer.replica().equals(name)).findFirst();
  }

  /**
   * Returns the other replicas in the scope of a request.
   *
   * @throws Rejection when the scope names an unknown replica
   */
  public List<Peer> others(ClusterScope scope) {
    List<Peer> others =
        scope.local()
            ? List.of()
            : others().stream().filter(peer -> scope.covers(peer.replica())).toList();
    if (others.isEmpty() && !scope.covers(self())) {
      throw Problem.of(
              404,
              "replica-not-found",
              "Replica not found",
              "there is no replica \""
                  + Json.line(String.valueOf(scope.replica()), 64)
                  + "\" now; GET /api/v1/replicas lists all replicas")
          .rejection();
    }
    return others;
  }

  /** Sends a GET request for the path of the client's request. */
  Future<PeerAnswer> get(Peer peer, RequestContext context, String query, Class<?> type) {
    return send(
        peer, context, HttpMethod.GET, address(context.below(), query), null, Map.of(), type);
  }

  /** Sends a GET request to a replica that may have left. */
  Future<PeerAnswer> get(String replica, RequestContext context, String query, Class<?> type) {
    return other(replica)
        .map(peer -> get(peer, context, query, type))
        .orElseGet(() -> Future.succeededFuture(PeerAnswer.left(replica)));
  }

  /**
   * Sends a request on behalf of a client, with its token: the replica authenticates the client and
   * checks its rights again.
   *
   * @param path what follows {@link ApiPaths#PEER_ROOT}, with its query
   * @param more additional headers
   * @param type the type of the result, which is a record or a tree
   */
  Future<PeerAnswer> send(
      Peer peer,
      RequestContext context,
      HttpMethod method,
      String path,
      @Nullable Buffer body,
      Map<String, String> more,
      Class<?> type) {
    Map<String, String> headers = new LinkedHashMap<>(more);
    headers.putAll(headers(context, "application/json"));
    if (body != null) {
      headers.put("Content-Type", "application/json");
    }
    return client.send(
        peer,
        new PeerClient.Request(
            method, ApiPaths.PEER_ROOT + path, headers, body, context.peerTimeout(), type));
  }

  static String address(String path, String query) {
    return query.isEmpty() ? path : path + "?" + query;
  }

  /** Returns the headers of every request on behalf of a client. */
  public static Map<String, String> headers(RequestContext context, String accept) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("X-Request-Id", context.id());
    headers.put("Accept", accept);
    String token = context.request().getHeader("Authorization");
    if (token != null) {
      headers.put("Authorization", token);
    }
    return headers;
  }

  /** Sends the request of the client, which is a GET request, to all replicas in a scope. */
  public Future<List<PeerAnswer>> getAll(
      RequestContext context, ClusterScope scope, Endpoint.Handler local, Class<?> type) {
    return getAll(context, scope, local, context.below(), context.rawQuery(), type);
  }

  /**
   * Sends a GET request to all replicas in a scope, as {@link #requestAll} does.
   *
   * @param path what follows {@link ApiPaths#PEER_ROOT}
   * @param type the type of the result
   */
  public Future<List<PeerAnswer>> getAll(
      RequestContext context,
      ClusterScope scope,
      Endpoint.Handler local,
      String path,
      String query,
      Class<?> type) {
    return requestAll(
        context,
        scope.covers(self()),
        local,
        others(scope),
        peer -> send(peer, context, HttpMethod.GET, address(path, query), null, Map.of(), type));
  }

  /**
   * Sends a request to several replicas; the answer of this replica is the first. Fails only for a
   * request that is invalid on every replica.
   *
   * @param self whether this replica is one of them
   * @param local the handler of this replica
   * @param request sends the request to another replica
   */
  Future<List<PeerAnswer>> requestAll(
      RequestContext context,
      boolean self,
      Endpoint.Handler local,
      Collection<Peer> others,
      Function<Peer, Future<PeerAnswer>> request) {
    List<Future<PeerAnswer>> answers = new ArrayList<>();
    if (self) {
      Future<PeerAnswer> own = own(context, local);
      if (own.failed()) {
        return own.mapEmpty();
      }
      answers.add(own);
    }
    others.forEach(peer -> answers.add(request.apply(peer)));
    return Future.all(answers).map(all -> withoutInvalid(all.list()));
  }

  /**
   * Handles answers of 400, which a replica of another version may send. Such an answer is a refusal
   * of that replica. It is the answer to the client when no replica has a result, or for a selector:
   * only the replica that runs the controller has the labels of its items.
   */
  private static List<PeerAnswer> withoutInvalid(List<PeerAnswer> answers) {
    boolean found = answers.stream().anyMatch(PeerAnswer::found);
    List<PeerAnswer> valid = new ArrayList<>();
    for (PeerAnswer answer : answers) {
      boolean invalid = answer.status() == 400 && !answer.slug().isEmpty();
      if (invalid && (!found || answer.slug().equals("unsupported-selector"))) {
        throw answer.relayed().rejection();
      }
      valid.add(invalid ? answer.refused() : answer);
    }
    return valid;
  }

  /**
   * Returns the answer of this replica, within the time limit of all replicas. Throws or fails only
   * for a request that is invalid on every replica.
   */
  Future<PeerAnswer> own(RequestContext context, Endpoint.Handler local) {
    Future<Response> response;
    try {
      response = local.handle(context);
    } catch (Rejection e) {
      response = Future.failedFuture(e);
    }
    return response
        .timeout(context.peerTimeout(), TimeUnit.MILLISECONDS)
        .map(done -> PeerAnswer.own(self(), done))
        .recover(cause -> {
          if (cause instanceof TimeoutException) {
            return Future.succeededFuture(
                PeerAnswer.none(
                    self(),
                    PeerAnswer.State.TIMEOUT,
                    "the controller did not answer within " + context.peerTimeout() + " ms",
                    true));
          }
          if (cause instanceof Rejection rejection && rejection.problem().status() != 400) {
            return Future.succeededFuture(PeerAnswer.of(self(), rejection.problem()));
          }
          return Future.failedFuture(cause);
        });
  }

  /** Returns a merged value with the states of the replicas, and whether it is partial. */
  public static MergedValue marked(MergedValue value, String self, Collection<PeerAnswer> answers) {
    return value.marked(
        self, answers.stream().anyMatch(answer -> !answer.whole()), PeerAnswer.states(answers));
  }

  /** Returns the answers with a result; throws when there is none. */
  public static List<PeerAnswer> found(List<PeerAnswer> answers) {
    List<PeerAnswer> found = answers.stream().filter(PeerAnswer::found).toList();
    if (found.isEmpty()) {
      throw notFound(answers);
    }
    return found;
  }

  /** Returns the response for answers without any result. */
  static Rejection notFound(List<PeerAnswer> answers) {
    List<ControllerResource> idle = Unowned.parts(answers);
    if (!idle.isEmpty() && answers.stream().noneMatch(Cluster::runsOrFails)) {
      return Unowned.refusal(idle, answers);
    }
    List<String> silent =
        answers.stream().filter(answer -> !answer.ok()).map(PeerAnswer::replica).toList();
    if (!silent.isEmpty()) {
      return unreachable(
              "no replica that answered has it, and "
                  + String.join(", ", silent)
                  + " did not answer; try again")
          .withMember("replicas", PeerAnswer.states(answers))
          .rejection();
    }
    // The most specific problem, of the replica that runs the controller if there is one.
    return Stream.of(
            "item-not-found", "cause-not-found", "controller-not-running", "controller-not-found")
        .flatMap(slug -> answers.stream().filter(answer -> answer.slug().equals(slug)))
        .findFirst()
        .orElseGet(answers::getFirst)
        .relayed()
        .rejection();
  }

  static Problem unreachable(String detail) {
    return Problem.unavailable("replica-unreachable", "Replica unreachable", detail);
  }

  /** Returns whether a replica runs the controller, or could not start it. */
  private static boolean runsOrFails(PeerAnswer answer) {
    String slug = answer.slug();
    return answer.found()
        || slug.equals("item-not-found")
        || slug.equals("cause-not-found")
        || (slug.equals("controller-not-running") && Unowned.parts(List.of(answer)).isEmpty());
  }
}
