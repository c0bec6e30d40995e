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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The causes of failures on this replica. Confined to the admin event loop. */
public final class Causes {

  /** The parameter of another replica that reads some causes in full: the beginnings of their ids. */
  static final String ONLY = "only";

  private static final int MAX_BEGINNINGS = CauseTally.BEGINNING * ControllerHandle.MAX_PAGE;

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

  /** The causes of one controller; a failure when they could not be read. */
  private record Of(String controller, Future<List<CauseSnapshot>> causes) {

    boolean isRead() {
      return causes.succeeded();
    }
  }

  /**
   * Responds to another replica with the counts of all causes, or in full with those that it names. A
   * controller that fails, or returns nothing in time, hides none of the others, and is named.
   */
  public Future<Response> listAll(RequestContext context) {
    String beginnings = beginnings(context);
    return beginnings == null ? allCounts(context) : allOf(context, beginnings);
  }

  /** The same for one controller. */
  public Future<Response> list(RequestContext context) {
    String beginnings = beginnings(context);
    return beginnings == null ? counts(context) : of(context, beginnings);
  }

  private static @Nullable String beginnings(RequestContext context) {
    Query query = context.query();
    String beginnings = query.text(ONLY, MAX_BEGINNINGS);
    query.done();
    return beginnings;
  }

  Future<Response> allCounts(RequestContext context) {
    return parts(limit(context)).compose(this::counted);
  }

  Future<Response> counts(RequestContext context) {
    return one(context).compose(this::counted);
  }

  Future<Response> allOf(RequestContext context, String beginnings) {
    return parts(limit(context)).compose(parts -> listed(parts, beginnings, context.ofReplica()));
  }

  Future<Response> of(RequestContext context, String beginnings) {
    return one(context).compose(parts -> listed(parts, beginnings, context.ofReplica()));
  }

  /** Returns half of the time after which the requesting replica would do without all of this one. */
  private static Duration limit(RequestContext context) {
    return Duration.ofMillis(Math.max(1, context.peerTimeout() / 2));
  }

  private Future<List<Of>> one(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    return calls
        .call(handle, ControllerHandle::causes)
        .map(causes -> List.of(new Of(handle.name(), Future.succeededFuture(causes))));
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

  private Future<Response> counted(List<Of> parts) {
    return work.run(
        JsonWork.isLong(size(parts)),
        () ->
            Response.ok(
                new CauseSums(
                    parts.stream().filter(Of::isRead).map(Causes::counts).toList(),
                    unread(parts))));
  }

  private static CauseSums.OfController counts(Of part) {
    List<CauseSnapshot> causes = part.causes().result();
    return new CauseSums.OfController(
        part.controller(),
        causes.stream().map(CauseSnapshot::id).toList(),
        causes.stream().map(cause -> (long) cause.items()).toList(),
        causes.stream().map(cause -> cause.lastSeen().getEpochSecond()).toList());
  }

  /**
   * Lists the causes whose ids have one of the beginnings.
   *
   * @param isShort whether to leave out what another replica does not need to add them up
   */
  private Future<Response> listed(List<Of> parts, String beginnings, boolean isShort) {
    Set<String> wanted = new HashSet<>();
    for (int i = 0; i < beginnings.length(); i += CauseTally.BEGINNING) {
      wanted.add(beginnings.substring(i, Math.min(beginnings.length(), i + CauseTally.BEGINNING)));
    }
    return work.run(
        JsonWork.isLong(size(parts)),
        () -> {
          List<CauseResource> items = new ArrayList<>();
          for (Of part : parts.stream().filter(Of::isRead).toList()) {
            for (CauseSnapshot cause : part.causes().result()) {
              String id = cause.id();
              if (wanted.contains(id.substring(0, Math.min(CauseTally.BEGINNING, id.length())))) {
                CauseResource whole = resource(part.controller(), cause);
                items.add(isShort ? whole.shortened() : whole);
              }
            }
          }
          return Response.ok(CauseList.of(items.size(), 0, items, unread(parts)));
        });
  }

  private static List<String> unread(List<Of> parts) {
    return parts.stream().filter(part -> !part.isRead()).map(Of::controller).toList();
  }

  private static int size(List<Of> parts) {
    return parts.stream().filter(Of::isRead).mapToInt(part -> part.causes().result().size()).sum();
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
