// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.config.ChangePolicy;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.operation.OperationHeader;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.operation.OperationRequest;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.peer.Peer;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Receives the notes of operations from other replicas. A replica authenticates with the token of
 * the caller, so a caller can send a note as well: a note is stored only after a participant of the
 * operation has confirmed it. Confined to the admin event loop.
 */
public final class OperationNotes {

  private static final String CONFIRMED = "operation";

  private final Cluster cluster;
  private final Operations local;
  private final OperationLog log;
  private final ChangePolicy policy;

  public OperationNotes(Cluster cluster, Operations local, OperationLog log, ChangePolicy policy) {
    this.cluster = cluster;
    this.local = local;
    this.log = log;
    this.policy = policy;
  }

  /**
   * Stores a note, or confirms one with {@link ApiHeaders#FIND}. A confirmation reads the log of
   * this replica only, so one note causes at most one request to each other replica.
   */
  public Future<Response> receive(RequestContext context) {
    context.audit().action("note-operation");
    context.query().done();
    OperationHeader ticket = OperationHeader.of(context);
    Buffer body = Buffer.buffer(context.body().text());
    OperationRequest order = OperationRequest.read(context.body(), policy.itemsPerSecond());
    context.audit().reason(order.reason());
    if (ticket == null) {
      throw Problem.invalid(
              "invalid-header", "this is for replicas, which say which operation it is")
          .rejection();
    }
    context.audit().operation(ticket.id());
    boolean here = matches(context, ticket, order);
    if (context.request().getHeader(ApiHeaders.FIND) != null) {
      context.audit().outcomeFollows(); // or does not: this is no change
      return Future.succeededFuture(
          Response.ok(Json.object().put("kind", "Here").put(CONFIRMED, here)));
    }
    return confirmed(context, ticket, body, here)
        .map(yes -> {
          if (!yes) {
            throw unconfirmed(ticket).rejection();
          }
          local.noted(context, ticket, order);
          return Response.noContent();
        });
  }

  /** Returns whether this replica has a part of exactly the operation that a note describes. */
  private boolean matches(RequestContext context, OperationHeader ticket, OperationRequest order) {
    return log.find(ticket.id())
        .filter(own ->
            own.controller().equals(context.param("c"))
                && own.actor().equals(context.actor())
                && Set.copyOf(own.participants()).equals(Set.copyOf(ticket.participants()))
                && own.order().reason().equals(order.reason())
                && own.order().request().maxAffected() == order.request().maxAffected()
                && own.order().fingerprint().equals(order.fingerprint()))
        .isPresent();
  }

  /**
   * Requests a confirmation from the participants. Their addresses are those of the membership, and
   * a name that is not in it is ignored.
   */
  private Future<Boolean> confirmed(
      RequestContext context, OperationHeader ticket, Buffer body, boolean here) {
    Map<String, String> headers = new HashMap<>(ticket.headers());
    headers.put(ApiHeaders.FIND, "1");
    List<Future<PeerAnswer>> requests = new ArrayList<>();
    for (Peer peer : cluster.others()) {
      if (ticket.participants().contains(peer.replica())) {
        requests.add(cluster.ask(peer, context, HttpMethod.POST, context.below(), body, headers));
      }
    }
    boolean refusedHere = ticket.refused().containsKey(cluster.self());
    return Future.all(requests)
        .map(all -> {
          boolean confirmed = here && !refusedHere;
          boolean contradicted = here && refusedHere;
          for (PeerAnswer answer : all.<PeerAnswer>list()) {
            if (answer.found() && answer.json().path(CONFIRMED).asBoolean()) {
              boolean refused = ticket.refused().containsKey(answer.replica());
              confirmed |= !refused;
              contradicted |= refused;
            }
          }
          return confirmed && !contradicted;
        });
  }

  private static Problem unconfirmed(OperationHeader ticket) {
    return Problem.of(
        404,
        "operation-not-found",
        "Operation not found",
        "no participant has confirmed operation \""
            + ticket.id()
            + "\" as the note describes it; nothing was stored");
  }
}
