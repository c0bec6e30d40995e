// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.config.ChangePolicy;
import dev.coxswain.admin.internal.access.ChangeGuard;
import dev.coxswain.admin.internal.audit.AuditEntry;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.Syncing;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkRun;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acts on many items at once, in the background; one operation per controller at a time. Confined
 * to the admin event loop.
 */
public final class Operations {

  private static final Logger log = LoggerFactory.getLogger(Operations.class);

  /** Items that become due are spread over 30 s per thousand unless told otherwise. */
  private static final Duration SPREAD_PER_ITEM = Duration.ofMillis(30);

  private static final Duration MAX_SPREAD = Duration.ofHours(1);

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  private final Controllers controllers;
  private final ControllerCalls calls;
  private final ChangePolicy policy;
  private final String replica;
  private final Clock clock;
  private final ConfirmTokens tokens;
  private final OperationLog operations;

  public Operations(
      Controllers controllers,
      ControllerCalls calls,
      ChangePolicy policy,
      String replica,
      Clock clock,
      OperationLog operations) {
    this.operations = operations;
    this.controllers = controllers;
    this.calls = calls;
    this.policy = policy;
    this.replica = replica;
    this.clock = clock;
    this.tokens = new ConfirmTokens(clock);
  }

  // ---- POST /controllers/{c}/operations ----

  /** Begins this replica's part of an operation, for another replica. */
  public Future<Response> part(RequestContext context) {
    OperationHeader ticket = OperationHeader.of(context);
    if (ticket != null) {
      ticket.check(context, replica);
      context.attach(OperationHeader.class, ticket);
    }
    return create(context);
  }

  public Future<Response> create(RequestContext context) {
    context.query().done();
    ControllerHandle handle = controllers.running(context);
    OperationRequest order = OperationRequest.read(context.body(), policy.itemsPerSecond());
    ItemFilters.checkSelector(handle, order.request().filter());
    context.audit().reason(order.reason());
    context.audit().selector(OperationView.selector(order.request().filter()).toString());
    boolean syncing = Syncing.is(handle);
    if (order.request().dryRun() && order.confirmToken() == null) {
      return calls
          .ask(handle, h -> h.bulk(order.request()))
          .map(result ->
              Response.ok(Syncing.mark(preview(context, handle, order, result), syncing)));
    }
    if (order.destructive()) {
      ChangeGuard.checkDestructive(policy, handle.name());
    }
    Confirmed confirmed = confirmed(context, handle, order);
    if (order.request().dryRun()) {
      return calls
          .ask(handle, h -> h.bulk(confirmed.order().request()))
          .map(result -> {
            checkCount(confirmed, result);
            return Response.ok(Syncing.mark(preview(context, handle, order, result), syncing));
          });
    }
    if (!operations.reserve(handle.name())) {
      throw Problem.of(
              409,
              "operation-running",
              "Operation running",
              "another operation on \"" + handle.name() + "\" has not ended yet")
          .rejection();
    }
    try {
      checkNew(context.attachment(OperationHeader.class));
      return calls
          .ask(handle, h -> h.bulk(confirmed.order().counting()))
          .compose(count -> begin(context, handle, confirmed, count))
          .onFailure(refused -> operations.release(handle.name()));
    } catch (RuntimeException e) {
      operations.release(handle.name());
      throw e;
    }
  }

  private void checkNew(@Nullable OperationHeader ticket) {
    if (ticket != null && operations.find(ticket.id()).isPresent()) {
      throw Problem.of(
              409,
              "operation-running",
              "Operation running",
              "this replica has its part of \"" + ticket.id() + "\" already")
          .rejection();
    }
  }

  /** Stores a note of an operation of others. */
  public void noted(RequestContext context, OperationHeader ticket, OperationRequest order) {
    operations.note(
        new RemoteOperation(ticket, context.param("c"), order, context.actor(), clock.instant()));
  }

  private ObjectNode preview(
      RequestContext context, ControllerHandle handle, OperationRequest order, BulkResult result) {
    ObjectNode json = OperationView.preview(handle.name(), order, result);
    json.putObject("byReplica").put(replica, result.matched());
    json.put(
        "confirmToken",
        tokens.issue(
            subject(context, handle, order),
            new ConfirmTokens.Seen(result.asOfSeq(), result.matched())));
    Json.putTime(json, "expiresAt", clock.instant().plus(ConfirmTokens.VALIDITY));
    return json;
  }

  /** What a confirmation is bound to. */
  private static List<String> subject(
      RequestContext context, ControllerHandle handle, OperationRequest order) {
    List<String> subject = new ArrayList<>();
    subject.add(context.actor());
    subject.add(handle.name());
    subject.add(handle.status().startedAt().toString());
    subject.addAll(order.fingerprint());
    return subject;
  }

  /**
   * An order with what its token says.
   *
   * @param seen how many items the preview has shown, -1 without one
   * @param most more items than this are not what was confirmed
   */
  private record Confirmed(OperationRequest order, int seen, int most) {

    /** Returns how many items may be changed. */
    int allowed() {
      return Math.min(order.request().maxAffected(), most);
    }
  }

  /**
   * Reads the token of an order. Queues live, so some more items than were seen may match; a count
   * that has doubled is another situation than the one that somebody has confirmed.
   */
  private Confirmed confirmed(
      RequestContext context, ControllerHandle handle, OperationRequest order) {
    String token = order.confirmToken();
    if (token == null) {
      return new Confirmed(order, -1, policy.safeCount());
    }
    ConfirmTokens.Seen seen = tokens.verify(subject(context, handle, order), token);
    return new Confirmed(
        order.asOf(seen.asOfSeq()),
        seen.matched(),
        Math.max(policy.safeCount(), 2 * seen.matched()));
  }

  private Future<Response> begin(
      RequestContext context, ControllerHandle handle, Confirmed confirmed, BulkResult count) {
    checkCount(confirmed, count);
    if (context.answered()) {
      // Whoever asked was told that nobody knew; an operation they do not know of must not begin.
      throw Problem.timeout("counting took too long; nothing was changed").rejection();
    }
    OperationHeader given = context.attachment(OperationHeader.class);
    OperationHeader ticket =
        given == null ? new OperationHeader(operations.nextId(), List.of(replica)) : given;
    context.audit().operation(ticket.id());
    return context.change(
        () -> Future.succeededFuture(begun(context, handle, confirmed, count, ticket)));
  }

  private Response begun(
      RequestContext context,
      ControllerHandle handle,
      Confirmed confirmed,
      BulkResult count,
      OperationHeader ticket) {
    OperationRequest order = confirmed.order();
    AuditEntry audit = context.audit();
    BulkRun run =
        handle.begin(
            order.execution(
                count.asOfSeq(),
                confirmed.allowed(),
                spread(order, count.matched()),
                ticket.participants().size()),
            context.actor());
    Operation operation =
        new Operation(
            ticket, handle.name(), order, context.actor(), clock.instant(), count.matched(), run);
    operations.began(operation);
    audit.outcomeFollows();
    operation
        .ended()
        .onSuccess(over -> {
          operations.ended(over);
          audit.counts(over.matched(), over.counts().changed());
          audit.outcome(over.state().label(), 202);
        });
    calls
        .here(handle, run.result())
        .onComplete((result, failure) -> {
          Instant now = clock.instant();
          if (failure == null) {
            operation.end(result, now);
          } else {
            operation.fail(reason(failure, operation), now);
          }
        });
    return Response.accepted(
        OperationView.operation(operation, replica), "/api/v1/operations/" + operation.id());
  }

  private static String reason(Throwable failure, Operation operation) {
    if (failure instanceof Rejection rejection) {
      return rejection.problem().detail();
    }
    log.atError()
        .addKeyValue("operation", operation.id())
        .addKeyValue("controller", operation.controller())
        .setCause(failure)
        .log("Operation failed");
    return "it failed inside the host; the log has the cause under its id";
  }

  private void checkCount(Confirmed confirmed, BulkResult count) {
    OperationRequest order = confirmed.order();
    if (count.matched() > order.request().maxAffected()) {
      throw Problem.of(
              409,
              "too-many-affected",
              "Too many items",
              OperationView.matches(count)
                  + " items match and maxAffected is "
                  + order.request().maxAffected()
                  + "; nothing was changed")
          .withCurrent(Json.object().put("matched", count.matched()))
          .rejection();
    }
    if (count.matched() > confirmed.most()) {
      String matches = OperationView.matches(count);
      throw Problem.of(
              409,
              "confirmation-required",
              "Confirmation required",
              confirmed.seen() < 0
                  ? matches
                      + " items match and more than "
                      + policy.safeCount()
                      + " need a confirmToken; ask for a preview with \"dryRun\": true and send its"
                      + " token with the order; nothing was changed"
                  : matches
                      + " items match by now, and the preview that you confirm has shown "
                      + confirmed.seen()
                      + "; ask for another one; nothing was changed")
          .withCurrent(
              Json.object().put("matched", count.matched()).put("safeCount", policy.safeCount()))
          .rejection();
    }
  }

  private static Duration spread(OperationRequest order, int items) {
    if (!order.needsSpread()) {
      return order.request().spreadOver();
    }
    Duration spread = SPREAD_PER_ITEM.multipliedBy(items);
    return spread.compareTo(MAX_SPREAD) > 0 ? MAX_SPREAD : spread;
  }

  // ---- /operations ----

  public Future<Response> list(RequestContext context) {
    Query query = context.query();
    List<String> states = query.many("state");
    for (String state : states) {
      if (!OperationView.STATES.contains(state)) {
        query.fault("state", "is not a state of an operation: \"" + Json.line(state, 32) + "\"");
      }
    }
    String controller = query.text("controller", ItemFilters.MAX_NAME);
    String namespace = query.text("namespace", ItemFilters.MAX_NAME);
    query.done();
    ObjectNode json = Json.object();
    json.put("kind", "OperationList");
    json.put("replica", replica);
    var items = json.putArray("items");
    for (Operation operation : operations.all()) {
      if ((states.isEmpty() || states.contains(operation.state().label()))
          && (controller == null || controller.equals(operation.controller()))
          && (namespace == null || namespace.equals(operation.namespace()))) {
        items.add(OperationView.operation(operation, replica));
      }
    }
    for (RemoteOperation note : operations.notes()) {
      if ((states.isEmpty() || states.contains(OperationView.UNKNOWN))
          && (controller == null || controller.equals(note.controller()))
          && (namespace == null || namespace.equals(note.order().namespace()))) {
        items.add(OperationView.note(note));
      }
    }
    return Future.succeededFuture(Response.ok(json));
  }

  public Future<Response> get(RequestContext context) {
    context.query().done();
    String id = context.param("op");
    operations.subject(id).ifPresent(OperationScope.of(context)::check);
    if (operations.find(id).isEmpty() && operations.noted(id).isPresent()) {
      return Future.succeededFuture(
          Response.ok(OperationView.note(operations.noted(id).orElseThrow())));
    }
    return Future.succeededFuture(Response.ok(OperationView.operation(find(context), replica)));
  }

  /** Stops the remainder, and answers when it has stopped. */
  public Future<Response> stop(RequestContext context) {
    context.audit().action("stop-operation");
    context.query().done();
    operations.subject(context.param("op")).ifPresent(OperationScope.of(context)::check);
    Operation operation = find(context);
    context.audit().controller(operation.controller());
    Body body = context.body();
    String reason = body.reason();
    body.done();
    context.audit().reason(reason);
    Future<Void> stopped = Future.succeededFuture();
    if (operation.running()) {
      stopped =
          context.change(() -> {
            operation.stop(new Operation.Stop(context.actor(), reason, clock.instant()));
            return Future.succeededFuture();
          });
    }
    return stopped
        .compose(ordered -> operation.ended())
        .map(over -> Response.ok(OperationView.operation(over, replica)));
  }

  private Operation find(RequestContext context) {
    String id = context.param("op");
    return operations
        .find(id)
        .orElseThrow(() ->
            Problem.of(
                    404,
                    "operation-not-found",
                    "Operation not found",
                    "this replica has no operation \""
                        + Json.line(id, 64)
                        + "\"; it remembers the last "
                        + OperationLog.MAX_ENDED
                        + " of its own")
                .rejection());
  }

  /** Stops everything that runs; completes when all of it has ended, or has been given up. */
  public Future<Void> close() {
    List<Future<Operation>> ends = new ArrayList<>();
    for (Operation operation : operations.all()) {
      if (operation.running()) {
        operation.stop(
            new Operation.Stop("", "the admin API of this replica stops", clock.instant()));
        ends.add(operation.ended());
      }
    }
    return calls
        .atMost(Future.join(ends), CLOSE_LIMIT)
        .onComplete(over -> {
          for (Operation operation : operations.all()) {
            operation.fail(
                "its controller did not answer while this replica stopped", clock.instant());
          }
        });
  }
}
