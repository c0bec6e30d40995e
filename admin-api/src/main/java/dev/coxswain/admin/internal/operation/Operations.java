// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.access.ChangeGuard;
import dev.coxswain.admin.internal.audit.AuditEntry;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.options.ChangePolicy;
import dev.coxswain.admin.internal.peer.Syncing;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkRun;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations change many items in the background, one operation per controller at a time. Confined
 * to the admin event loop.
 */
public final class Operations {

  private static final Logger log = LoggerFactory.getLogger(Operations.class);

  /** By default, due items are spread over 30 s per thousand. */
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
  private final History history;

  public Operations(
      Controllers controllers,
      ControllerCalls calls,
      ChangePolicy policy,
      String replica,
      Clock clock,
      OperationLog operations,
      History history) {
    this.operations = operations;
    this.history = history;
    this.controllers = controllers;
    this.calls = calls;
    this.policy = policy;
    this.replica = replica;
    this.clock = clock;
    this.tokens = new ConfirmTokens(clock);
  }

  // ---- POST /controllers/{c}/operations ----

  /** Begins the part of this replica, on request of another replica. */
  public Future<Response> part(RequestContext context) {
    OperationHeader header = OperationHeader.of(context);
    if (header != null) {
      header.check(context, replica);
      context.attach(OperationHeader.class, header);
    }
    return create(context);
  }

  public Future<Response> create(RequestContext context) {
    context.query().done();
    ControllerHandle handle = controllers.running(context);
    OperationRequest request = OperationRequest.read(context.body(), policy.itemsPerSecond());
    ItemFilters.checkSelector(handle, request.bulk().filter());
    context.audit().reason(request.reason());
    context.audit().selector(OperationView.selectorText(request));
    boolean dryRun = request.bulk().dryRun();
    if (request.destructive() && !(dryRun && request.confirmToken() == null)) {
      ChangeGuard.checkDestructive(policy, handle.name());
    }
    Confirmed confirmed = confirmed(context, handle, request);
    if (dryRun) {
      boolean syncing = Syncing.is(handle);
      return calls
          .call(handle, h -> h.bulk(confirmed.request().bulk()))
          .map(result -> {
            if (request.confirmToken() != null) {
              confirmed.limits().check(result.matched(), policy);
            }
            return Response.ok(
                preview(context, handle, request, result).isSyncing(syncing ? true : null).build());
          });
    }
    if (!operations.reserve(handle.name())) {
      throw running("another operation on \"" + handle.name() + "\" has not ended yet");
    }
    try {
      OperationHeader header = context.attachment(OperationHeader.class);
      if (header != null && operations.find(header.id()).isPresent()) {
        throw running("this replica has its part of \"" + header.id() + "\" already");
      }
      return calls
          .call(handle, h -> h.bulk(confirmed.request().counting()))
          .compose(count -> begin(context, handle, confirmed, count))
          .onFailure(refused -> operations.release(handle.name()));
    } catch (RuntimeException e) {
      operations.release(handle.name());
      throw e;
    }
  }

  private static Rejection running(String detail) {
    return Problem.of(409, "operation-running", "Operation running", detail).rejection();
  }

  /** Stores the record of a remote operation. */
  public void addRemote(RequestContext context, OperationHeader header, OperationRequest request) {
    operations.addRemote(
        new OperationRecord(header, context.param("c"), request, context.actor(), clock.instant()));
    if (!header.refused().isEmpty()) {
      // A part may have ended before it was known which replicas refused theirs.
      operations.find(header.id()).filter(own -> !own.running()).ifPresent(this::store);
    }
  }

  private void store(Operation ended) {
    history.addPart(ended.id(), OperationView.operation(ended, replica), clock.instant());
  }

  private OperationPreviewBuilder preview(
      RequestContext context,
      ControllerHandle handle,
      OperationRequest request,
      BulkResult result) {
    return OperationView.preview(handle.name(), request, result)
        .byReplica(Map.of(replica, (long) result.matched()))
        .confirmToken(
            tokens.issue(
                subject(context, handle, request),
                new ConfirmTokens.Seen(result.asOfSeq(), result.matched())))
        .expiresAt(clock.instant().plus(ConfirmTokens.VALIDITY));
  }

  /** Returns the subject of a confirmation. */
  private static List<String> subject(
      RequestContext context, ControllerHandle handle, OperationRequest request) {
    List<String> subject = new ArrayList<>();
    subject.add(context.actor());
    subject.add(handle.name());
    subject.add(handle.status().startedAt().toString());
    subject.addAll(request.fingerprint());
    return subject;
  }

  /** A request, limited to the items of its preview, and how many may match. */
  private record Confirmed(OperationRequest request, Confirmation limits) {}

  /**
   * Verifies the token of a request. Some more items than in the preview may match, since queues
   * change; twice as many need another confirmation.
   */
  private Confirmed confirmed(
      RequestContext context, ControllerHandle handle, OperationRequest request) {
    int maxAffected = request.bulk().maxAffected();
    String token = request.confirmToken();
    if (token == null) {
      return new Confirmed(request, new Confirmation(maxAffected, -1, policy.safeCount()));
    }
    ConfirmTokens.Seen seen = tokens.verify(subject(context, handle, request), token);
    int most = Math.max(policy.safeCount(), 2 * seen.matched());
    return new Confirmed(
        request.asOf(seen.asOfSeq()), new Confirmation(maxAffected, seen.matched(), most));
  }

  private Future<Response> begin(
      RequestContext context, ControllerHandle handle, Confirmed confirmed, BulkResult count) {
    confirmed.limits().check(count.matched(), policy);
    if (context.answered()) {
      // The client has received a timeout and no id, so the operation must not begin.
      throw Problem.timeout("counting took too long; nothing was changed").rejection();
    }
    OperationHeader given = context.attachment(OperationHeader.class);
    OperationHeader header =
        given == null ? new OperationHeader(operations.nextId(), List.of(replica)) : given;
    context.audit().operation(header.id());
    return context.change(
        () -> Future.succeededFuture(begun(context, handle, confirmed, count, header)));
  }

  private Response begun(
      RequestContext context,
      ControllerHandle handle,
      Confirmed confirmed,
      BulkResult count,
      OperationHeader header) {
    OperationRequest request = confirmed.request();
    AuditEntry audit = context.audit();
    BulkRequest execution =
        request.execution(
            count.asOfSeq(),
            confirmed.limits().allowed(),
            spread(request, count.matched()),
            header.participants().size());
    BulkRun run = handle.begin(execution, context.actor(), request.reason());
    OperationRecord record =
        new OperationRecord(header, handle.name(), request, context.actor(), clock.instant());
    Operation operation = new Operation(record, count.matched(), execution, run, clock);
    operations.began(operation);
    audit.outcomeFollows();
    operation
        .ended()
        .onSuccess(over -> {
          operations.ended(over);
          store(over);
          audit.counts(over.matched(), over.counts().changed());
          audit.outcome(over.state().label(), 202);
        });
    calls
        .onAdminLoop(handle, run.result())
        .onComplete((result, failure) -> {
          Instant now = clock.instant();
          if (failure == null) {
            operation.end(result, now);
          } else {
            operation.fail(error(failure, operation), now);
          }
        });
    return Response.accepted(
        OperationView.operation(operation, replica), "/api/v1/operations/" + operation.id());
  }

  private static String error(Throwable failure, Operation operation) {
    if (failure instanceof Rejection rejection) {
      return rejection.problem().detail();
    }
    log.atError()
        .addKeyValue("operation", operation.id())
        .addKeyValue("controller", operation.controller())
        .setCause(failure)
        .log("operation failed");
    return "it failed inside the host; the log has the cause under its id";
  }

  private static Duration spread(OperationRequest request, int items) {
    if (!request.needsSpread()) {
      return request.bulk().spreadOver();
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
    BiPredicate<OperationRecord, String> wanted =
        (record, state) ->
            (states.isEmpty() || states.contains(state))
                && (controller == null || controller.equals(record.controller()))
                && (namespace == null || namespace.equals(record.request().namespace()));
    List<OperationResource> items = new ArrayList<>();
    for (Operation operation : operations.all()) {
      if (wanted.test(operation.record(), operation.state().label())) {
        items.add(withFinalParts(OperationView.operation(operation, replica)));
      }
    }
    for (OperationRecord remote : operations.remotes()) {
      if (wanted.test(remote, OperationView.UNKNOWN)) {
        items.add(withFinalParts(OperationView.remote(remote)));
      }
    }
    return Future.succeededFuture(Response.ok(new OperationList(replica, items)));
  }

  public Future<Response> get(RequestContext context) {
    context.query().done();
    String id = context.param("op");
    operations.subject(id).ifPresent(OperationScope.of(context)::check);
    OperationRecord remote = operations.remote(id).orElse(null);
    return Future.succeededFuture(
        Response.ok(
            withFinalParts(
                remote != null
                    ? OperationView.remote(remote)
                    : OperationView.operation(find(context), replica))));
  }

  /** Adds the final parts of other replicas, so that each replica merges the same ones. */
  private OperationResource withFinalParts(OperationResource operation) {
    Map<String, OperationResource> known = operations.finalParts(operation.id());
    // A copy: a long response is written on another thread.
    return known.isEmpty() ? operation : operation.withFinalParts(new TreeMap<>(known));
  }

  /** Stops an operation; completes when it has stopped. */
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
    boolean runs = operation.running();
    if (runs) {
      stopped =
          context.change(() -> {
            operation.stop(new Operation.Stop(context.actor(), reason, clock.instant()));
            return Future.succeededFuture();
          });
    }
    return stopped
        .compose(ordered -> operation.ended())
        .map(over -> {
          boolean applied = runs && over.state() == Operation.State.CANCELLED;
          return Response.ok(
              OperationView.operation(over, replica)
                  .withResult(applied ? ChangedValue.APPLIED : ChangedValue.SKIPPED));
        });
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
                        + "\"; it keeps the last "
                        + OperationLog.MAX_ENDED
                        + " of its own")
                .rejection());
  }

  /** Stops all running operations; completes when they have ended or the time limit is over. */
  public Future<Void> close() {
    List<Operation> running = operations.all().stream().filter(Operation::running).toList();
    running.forEach(operation ->
        operation.stop(
            new Operation.Stop("", "the admin API of this replica stops", clock.instant())));
    return calls
        .atMost(Future.join(running.stream().map(Operation::ended).toList()), CLOSE_LIMIT)
        .onComplete(over ->
            running.forEach(operation ->
                operation.fail(
                    "its controller did not answer while this replica stopped", clock.instant())));
  }
}
