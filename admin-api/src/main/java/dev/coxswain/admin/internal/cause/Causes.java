// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.resource.Controllers;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.CauseSnapshot;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The causes of failures on this replica. Confined to the admin event loop. */
public final class Causes {

  public static final int DEFAULT_LIMIT = 100;

  private final ControllerDirectory directory;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final JsonWork work;

  public Causes(
      ControllerDirectory directory,
      Controllers controllers,
      ControllerCalls calls,
      JsonWork work) {
    this.directory = directory;
    this.controllers = controllers;
    this.calls = calls;
    this.work = work;
  }

  /** Returns the number of causes that a request wants at most. */
  public static int limit(Query query) {
    return query.number("limit", 1, ControllerHandle.MAX_PAGE, DEFAULT_LIMIT);
  }

  /** The causes of one controller; a failure when they could not be read. */
  private record Of(String controller, Future<List<CauseSnapshot>> causes) {}

  /**
   * Lists all causes of all controllers: the limit applies to the sum of all replicas. A controller
   * that fails, or returns nothing in time, hides none of the others, and is named.
   */
  public Future<Response> listAll(RequestContext context) {
    Query query = context.query();
    limit(query);
    query.done();
    // Half of the time after which the replica that asked would do without all of this one.
    Duration limit = Duration.ofMillis(Math.max(1, context.peerTimeout() / 2));
    return parts(limit).compose(parts -> listed(parts, context.ofReplica()));
  }

  /** Reads the causes of all controllers; those that are not there in time are not complete. */
  private Future<List<Of>> parts(Duration limit) {
    List<Of> parts = new ArrayList<>();
    for (ControllerHandle handle : directory.snapshot().running()) {
      parts.add(new Of(handle.name(), causes(handle)));
    }
    return calls.atMost(Future.join(parts.stream().map(Of::causes).toList()), limit).map(parts);
  }

  /** Returns the causes of all controllers that can be read within a time limit. */
  public Future<List<CauseResource>> all(Duration limit) {
    return parts(limit)
        .map(parts ->
            parts.stream()
                .filter(part -> part.causes().succeeded())
                .flatMap(part ->
                    part.causes().result().stream()
                        .map(cause -> resource(part.controller(), cause)))
                .toList());
  }

  private Future<List<CauseSnapshot>> causes(ControllerHandle handle) {
    try {
      return calls.call(handle, ControllerHandle::causes);
    } catch (RuntimeException e) { // it is blocked, or has too many calls
      return Future.failedFuture(e);
    }
  }

  /** Lists all causes of one controller. */
  public Future<Response> list(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    Query query = context.query();
    limit(query);
    query.done();
    return calls
        .call(handle, ControllerHandle::causes)
        .compose(causes ->
            listed(
                List.of(new Of(handle.name(), Future.succeededFuture(causes))),
                context.ofReplica()));
  }

  /**
   * Lists the causes of some controllers.
   *
   * @param isShort whether to leave out what another replica does not need to add them up: its
   *     response may not be longer than a limit
   */
  private Future<Response> listed(List<Of> parts, boolean isShort) {
    List<String> unread =
        parts.stream().filter(part -> !part.causes().succeeded()).map(Of::controller).toList();
    List<CauseResource> items = new ArrayList<>();
    List<Of> read = parts.stream().filter(part -> part.causes().succeeded()).toList();
    int causes = read.stream().mapToInt(part -> part.causes().result().size()).sum();
    return work.run(
        JsonWork.isLong(causes),
        () -> {
          long failing = 0;
          for (Of part : read) {
            for (CauseSnapshot cause : part.causes().result()) {
              CauseResource whole = resource(part.controller(), cause);
              items.add(isShort ? whole.shortened() : whole);
              failing += cause.items();
            }
          }
          return Response.ok(CauseList.of(items.size(), failing, items, unread));
        });
  }

  /** Returns one cause, with its stack trace. */
  public Future<Response> get(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    context.query().done();
    String id = context.param("x");
    return calls
        .call(handle, ControllerHandle::causes)
        .map(causes ->
            causes.stream()
                .filter(cause -> cause.id().equals(id))
                .findFirst()
                .map(cause ->
                    Response.ok(
                        resource(handle.name(), cause)
                            .withKind(CauseResource.KIND)
                            .withStack(cause.stack())))
                .orElseThrow(() -> notFound(id)));
  }

  /** Returns the refusal of a request for a cause that is not kept. */
  public static Rejection notFound(String id) {
    return Problem.of(
            404,
            "cause-not-found",
            "Cause not found",
            "nothing has failed of \""
                + Json.line(id, 64)
                + "\" in the last day; GET .../causes lists the causes")
        .rejection();
  }

  private static CauseResource resource(String controller, CauseSnapshot cause) {
    return new CauseResource(
        null,
        cause.id(),
        controller,
        cause.items(),
        null,
        cause.failures(),
        cause.firstSeen(),
        cause.lastSeen(),
        cause.trend(),
        Json.line(cause.pattern().text(), Json.MAX_ERROR_TEXT),
        cause.pattern().types(),
        cause.pattern().where(),
        cause.samples().stream()
            .map(id ->
                new CauseResource.Sample(
                    id.encoded(), new ItemResource.Key(id.namespace(), id.name())))
            .toList(),
        null,
        CauseResource.Pause.of(cause.pause()),
        null,
        null,
        null);
  }
}
