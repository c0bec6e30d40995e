// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.PeerClient;
import dev.coxswain.admin.internal.peer.Syncing;
import dev.coxswain.admin.internal.resource.Unowned;
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
import org.jspecify.annotations.Nullable;

/**
 * The replicas as one: who they are, and how all of them are asked what one was asked. A replica
 * that is asked by another answers for itself only, so no question goes further than one hop.
 * Confined to the admin event loop.
 */
public final class Cluster {

  /** Under which purpose a replica says where its admin API listens. */
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
   * Asks a replica on behalf of a caller, whose token goes with it: the replica finds out again who
   * that is and what they may do.
   *
   * @param path what follows {@link ApiPaths#PEER_ROOT}, with its query
   */
  Future<PeerAnswer> ask(Peer peer, RequestContext context, HttpMethod method, String path) {
    return ask(peer, context, method, path, null, Map.of());
  }

  /**
   * Asks a replica with a body.
   *
   * @param more other headers
   */
  Future<PeerAnswer> ask(
      Peer peer,
      RequestContext context,
      HttpMethod method,
      String path,
      @Nullable Buffer body,
      Map<String, String> more) {
    Map<String, String> headers = new LinkedHashMap<>(more);
    headers.putAll(headers(context, "application/json"));
    if (body != null) {
      headers.put("Content-Type", "application/json");
    }
    return client.ask(
        peer,
        new PeerClient.Question(
            method, ApiPaths.PEER_ROOT + path, headers, body, context.patience()));
  }

  /** Returns what goes with every question: on whose behalf it is, and what is wanted. */
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

  /**
   * Returns the others that a request is meant for.
   *
   * @throws Rejection when it is meant for one that there is not
   */
  public List<Peer> others(ClusterScope scope) {
    List<Peer> others =
        scope.local()
            ? List.of()
            : others().stream().filter(peer -> scope.covers(peer.replica())).toList();
    if (others.isEmpty() && !scope.covers(self())) {
      throw unknownReplica(String.valueOf(scope.replica()));
    }
    return others;
  }

  private static Rejection unknownReplica(String name) {
    return Problem.of(
            404,
            "replica-not-found",
            "Replica not found",
            "there is no replica \""
                + Json.line(name, 64)
                + "\" now; GET /api/v1/replicas lists all replicas")
        .rejection();
  }

  /**
   * Asks all whom a request is meant for the same; the answer of this replica comes first. Fails
   * for what is wrong with the request, whoever is asked.
   *
   * @param local how this replica answers
   * @param others who else is asked
   * @param path what follows {@link ApiPaths#PEER_ROOT}
   */
  Future<List<PeerAnswer>> everybody(
      RequestContext context,
      ClusterScope scope,
      Endpoint.Handler local,
      Collection<Peer> others,
      String path,
      String query) {
    String address = query.isEmpty() ? path : path + "?" + query;
    return everybody(
        context, scope, local, others, peer -> ask(peer, context, HttpMethod.GET, address));
  }

  /**
   * Asks all whom a request is meant for.
   *
   * @param question how another replica is asked
   */
  Future<List<PeerAnswer>> everybody(
      RequestContext context,
      ClusterScope scope,
      Endpoint.Handler local,
      Collection<Peer> others,
      Function<Peer, Future<PeerAnswer>> question) {
    List<Future<PeerAnswer>> asked = new ArrayList<>();
    if (scope.covers(self())) {
      Future<PeerAnswer> own = own(context, local);
      if (own.failed()) {
        return own.mapEmpty();
      }
      asked.add(own);
    }
    others.forEach(peer -> asked.add(question.apply(peer)));
    return Future.all(asked).map(all -> judged(all.list()));
  }

  /**
   * A request that a replica cannot understand, as one of another version may not, is a refusal of
   * that replica. It is the answer to the whole when nobody else has what was asked for, or when
   * others may only not know: whoever does not run a controller cannot tell that its items have no
   * labels.
   */
  private static List<PeerAnswer> judged(List<PeerAnswer> answers) {
    boolean understood = false;
    for (PeerAnswer answer : answers) {
      understood |= answer.found();
    }
    List<PeerAnswer> judged = new ArrayList<>();
    for (PeerAnswer answer : answers) {
      if (answer.status() != 400 || answer.slug().isEmpty()) {
        judged.add(answer);
      } else if (!understood || answer.slug().equals("unsupported-selector")) {
        throw answer.problem().rejection();
      } else {
        judged.add(answer.refused());
      }
    }
    return judged;
  }

  /**
   * Returns what this replica itself answers, within the same time as others have. Throws or fails
   * only for what is wrong with the request, whoever is asked.
   */
  Future<PeerAnswer> own(RequestContext context, Endpoint.Handler local) {
    Future<Response> reply;
    try {
      reply = local.handle(context);
    } catch (Rejection e) {
      reply = Future.failedFuture(e);
    }
    return reply
        .timeout(context.patience(), TimeUnit.MILLISECONDS)
        .transform(done -> {
          Throwable cause = done.cause();
          if (cause == null) {
            return Future.succeededFuture(PeerAnswer.own(self(), done.result()));
          }
          if (cause instanceof TimeoutException) {
            return Future.succeededFuture(
                PeerAnswer.none(
                    self(),
                    PeerAnswer.State.TIMEOUT,
                    "the controller did not answer within " + context.patience() + " ms",
                    true));
          }
          if (cause instanceof Rejection rejection) {
            PeerAnswer answer =
                PeerAnswer.own(self(), rejection.problem(), context.path(), context.id());
            return rejection.problem().status() == 400
                ? Future.failedFuture(cause)
                : Future.succeededFuture(answer);
          }
          return Future.failedFuture(cause);
        });
  }

  /** Says in an answer which replicas it is of, and whether that is all. */
  public static ObjectNode mark(ObjectNode json, String self, Collection<PeerAnswer> answers) {
    json.put("replica", json.path("replica").asText(Json.clean(self)));
    json.put("partial", answers.stream().anyMatch(answer -> !answer.whole()));
    json.set("replicas", PeerAnswer.states(answers));
    json.remove(Syncing.FIELD);
    return json;
  }

  /** Returns what to say when nobody who answered has what was asked for. */
  static Rejection nobodyHas(List<PeerAnswer> answers) {
    List<ObjectNode> idle = Unowned.parts(answers);
    if (!idle.isEmpty() && answers.stream().noneMatch(Cluster::runsOrFails)) {
      return Unowned.refusal(idle, answers);
    }
    List<PeerAnswer> silent = answers.stream().filter(answer -> !answer.ok()).toList();
    if (!silent.isEmpty()) {
      return Problem.of(
              503,
              "replica-unreachable",
              "Replica unreachable",
              "no replica that answered has it, and "
                  + String.join(", ", silent.stream().map(PeerAnswer::replica).toList())
                  + " did not answer; try again")
          .with("Retry-After", "1")
          .withMember("replicas", PeerAnswer.states(answers))
          .rejection();
    }
    // The replica that knows most: of the controller that runs, not of the one that does not.
    for (String slug :
        List.of("item-not-found", "controller-not-running", "controller-not-found")) {
      for (PeerAnswer answer : answers) {
        if (answer.slug().equals(slug)) {
          return answer.problem().rejection();
        }
      }
    }
    return answers.getFirst().problem().rejection();
  }

  /** Returns whether the controller has an owner that said so, or one that could not start it. */
  private static boolean runsOrFails(PeerAnswer answer) {
    String slug = answer.slug();
    return answer.found()
        || slug.equals("item-not-found")
        || (slug.equals("controller-not-running") && !answer.json().has(Unowned.OWNER));
  }
}
