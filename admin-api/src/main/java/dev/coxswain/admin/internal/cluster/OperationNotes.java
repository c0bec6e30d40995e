// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.operation.OperationHeader;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.operation.OperationRequest;
import dev.coxswain.admin.internal.operation.Operations;
import dev.coxswain.admin.internal.options.ChangePolicy;
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

  /** Whether this replica has a part of an operation; between replicas. */
  private record Confirmed(String kind, @JsonProperty("operation") boolean confirmed) {}

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
    OperationHeader header = OperationHeader.of(context);
    Buffer body = Buffer.buffer(context.body().text());
    OperationRequest request = OperationRequest.read(context.body(), policy.itemsPerSecond());
    context.audit().reason(request.reason());
    if (header == null) {
      throw Problem.invalid(
              "invalid-header",
              "this path is for replicas, which send the headers of the operation")
          .rejection();
    }
    context.audit().operation(header.id());
    boolean here = matches(context, header, request);
    if (context.request().getHeader(ApiHeaders.FIND) != null) {
      context.audit().outcomeFollows(); // a read has no outcome
      return Future.succeededFuture(Response.ok(new Confirmed("Here", here)));
    }
    return confirmed(context, header, body, here)
        .map(yes -> {
          if (!yes) {
            throw unconfirmed(header).rejection();
          }
          local.addRemote(context, header, request);
          return Response.noContent();
        });
  }

  /** Returns whether this replica has a part of exactly the operation that a note describes. */
  private boolean matches(
      RequestContext context, OperationHeader header, OperationRequest request) {
    return log.find(header.id())
        .filter(own ->
            own.isOf(context.param("c"), context.actor(), request)
                && Set.copyOf(own.header().participants())
                    .equals(Set.copyOf(header.participants())))
        .isPresent();
  }

  /**
   * Requests a confirmation from the participants. Their addresses are those of the membership, and
   * a name that is not in it is ignored.
   */
  private Future<Boolean> confirmed(
      RequestContext context, OperationHeader header, Buffer body, boolean here) {
    Map<String, String> headers = new HashMap<>(header.headers());
    headers.put(ApiHeaders.FIND, "1");
    List<Future<PeerAnswer>> requests = new ArrayList<>();
    for (Peer peer : cluster.others()) {
      if (header.participants().contains(peer.replica())) {
        requests.add(
            cluster.send(
                peer, context, HttpMethod.POST, context.below(), body, headers, Confirmed.class));
      }
    }
    boolean refusedHere = header.refused().containsKey(cluster.self());
    return Future.all(requests)
        .map(all -> {
          boolean confirmed = here && !refusedHere;
          boolean contradicted = here && refusedHere;
          for (PeerAnswer answer : all.<PeerAnswer>list()) {
            if (answer.maybe(Confirmed.class).filter(Confirmed::confirmed).isPresent()) {
              boolean refused = header.refused().containsKey(answer.replica());
              confirmed |= !refused;
              contradicted |= refused;
            }
          }
          return confirmed && !contradicted;
        });
  }

  private static Problem unconfirmed(OperationHeader header) {
    return Problem.of(
        404,
        "operation-not-found",
        "Operation not found",
        "no participant has confirmed operation \""
            + header.id()
            + "\" as the note describes it; nothing was stored");
  }
}
