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
import dev.coxswain.view.FailurePattern;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The causes of failures on this replica. Confined to the admin event loop. */
public final class Causes {

  /** The parameter of another replica that reads some causes in full: their marks. */
  static final String ONLY = "only";

  private static final int VERSION_DIGITS = 12;

  private static final int MAX_MARKS = CauseTally.MARK * ControllerHandle.MAX_PAGE;

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

  /** What was read of one controller; a failure when it could not be. */
  private record Of<T>(String controller, Future<List<T>> read) {

    boolean isRead() {
      return read.succeeded();
    }
  }

  /**
   * Responds to another replica with the counts of all causes, or in full with those that it names. A
   * controller that fails, or returns nothing in time, hides none of the others, and is named.
   */
  public Future<Response> listAll(RequestContext context) {
    String marks = marks(context);
    return marks == null ? allCounts(context) : allOf(context, marks);
  }

  /** The same for one controller. */
  public Future<Response> list(RequestContext context) {
    String marks = marks(context);
    return marks == null ? counts(context) : of(context, marks);
  }

  private static @Nullable String marks(RequestContext context) {
    Query query = context.query();
    String marks = query.text(ONLY, MAX_MARKS);
    if (marks != null && !marks.chars().allMatch(HexFormat::isHexDigit)) {
      query.fault(ONLY, "must be hexadecimal digits");
    }
    query.done();
    return marks;
  }

  Future<Response> allCounts(RequestContext context) {
    return parts(limit(context), ControllerHandle::causeCounts).compose(this::counted);
  }

  Future<Response> counts(RequestContext context) {
    return one(context, ControllerHandle::causeCounts).compose(this::counted);
  }

  Future<Response> allOf(RequestContext context, String marks) {
    return parts(limit(context), some(marks)).compose(parts -> listed(parts, context.ofReplica()));
  }

  Future<Response> of(RequestContext context, String marks) {
    return one(context, some(marks)).compose(parts -> listed(parts, context.ofReplica()));
  }

  /** Reads the causes that have one of the marks. */
  private static Function<ControllerHandle, Future<List<CauseSnapshot>>> some(String marks) {
    BitSet wanted = new BitSet();
    for (int i = 0; i + CauseTally.MARK <= marks.length(); i += CauseTally.MARK) {
      wanted.set(HexFormat.fromHexDigits(marks, i, i + CauseTally.MARK));
    }
    return handle -> handle.causes(id -> wanted.get(CauseTally.mark(handle.name(), id)));
  }

  /** Returns half of the time after which the requesting replica would do without all of this one. */
  private static Duration limit(RequestContext context) {
    return Duration.ofMillis(Math.max(1, context.peerTimeout() / 2));
  }

  private <T> Future<List<Of<T>>> one(
      RequestContext context, Function<ControllerHandle, Future<List<T>>> reader) {
    ControllerHandle handle = controllers.running(context);
    return calls
        .call(handle, reader)
        .map(read -> List.of(new Of<>(handle.name(), Future.succeededFuture(read))));
  }

  /** Reads of all controllers; those that are not there in time are not complete. */
  private <T> Future<List<Of<T>>> parts(
      Duration limit, Function<ControllerHandle, Future<List<T>>> reader) {
    List<Of<T>> parts = new ArrayList<>();
    for (ControllerHandle handle : directory.snapshot().running()) {
      parts.add(new Of<>(handle.name(), read(handle, reader)));
    }
    return calls.atMost(Future.join(parts.stream().map(Of::read).toList()), limit).map(parts);
  }

  /** Returns the causes of all controllers that can be read within a time limit. */
  public Future<List<CauseResource>> all(Duration limit) {
    return parts(limit, ControllerHandle::causes).map(this::resources);
  }

  private <T> Future<List<T>> read(
      ControllerHandle handle, Function<ControllerHandle, Future<List<T>>> reader) {
    try {
      return calls.call(handle, reader);
    } catch (RuntimeException e) { // it is blocked, or has too many calls
      return Future.failedFuture(e);
    }
  }

  private Future<Response> counted(List<Of<CauseSnapshot.Count>> parts) {
    return work.run(
        JsonWork.isLong(size(parts)),
        () ->
            Response.ok(
                new CauseSums(
                    parts.stream()
                        .filter(Of::isRead)
                        .map(part ->
                            CauseSums.OfController.of(part.controller(), part.read().result()))
                        .toList(),
                    unread(parts))));
  }

  /**
   * Lists causes.
   *
   * @param isShort whether to leave out what another replica does not need to add them up
   */
  private Future<Response> listed(List<Of<CauseSnapshot>> parts, boolean isShort) {
    return work.run(
        JsonWork.isLong(size(parts)),
        () -> {
          List<CauseResource> whole = resources(parts);
          List<CauseResource> items =
              isShort ? whole.stream().map(CauseResource::shortened).toList() : whole;
          return Response.ok(CauseList.of(items.size(), 0, items, unread(parts)));
        });
  }

  private List<CauseResource> resources(List<Of<CauseSnapshot>> parts) {
    return parts.stream().filter(Of::isRead).flatMap(this::ofPart).toList();
  }

  private Stream<CauseResource> ofPart(Of<CauseSnapshot> part) {
    String version = version(part.controller());
    return part.read().result().stream().map(cause -> resource(part.controller(), cause, version));
  }

  /** Returns the version of the plug-in that a controller is of; null for one of the host itself. */
  private @Nullable String version(String controller) {
    return directory.plugins().stream()
        .flatMap(plugins -> plugins.plugins().stream())
        .filter(plugin -> plugin.controllers().contains(controller))
        .map(plugin ->
            plugin.digest().substring(0, Math.min(VERSION_DIGITS, plugin.digest().length())))
        .findFirst()
        .orElse(null);
  }

  private static <T> List<String> unread(List<Of<T>> parts) {
    return parts.stream().filter(part -> !part.isRead()).map(Of::controller).toList();
  }

  private static <T> int size(List<Of<T>> parts) {
    return parts.stream().filter(Of::isRead).mapToInt(part -> part.read().result().size()).sum();
  }

  /** Returns one cause, with its stack trace. */
  public Future<Response> get(RequestContext context) {
    ControllerHandle handle = controllers.running(context);
    context.query().done();
    String id = context.param("x");
    long wanted = FailurePattern.number(id);
    return calls
        .call(handle, one -> one.causes(number -> number == wanted))
        .map(causes ->
            causes.stream()
                .findFirst()
                .map(cause ->
                    Response.ok(
                        resource(handle.name(), cause, version(handle.name()))
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

  /**
   * Returns a cause.
   *
   * @param version the version of the plug-in, which is that of all failures that were counted here:
   *     a new one begins with a new queue
   */
  private static CauseResource resource(
      String controller, CauseSnapshot cause, @Nullable String version) {
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
        version == null ? null : cause.failures() > 0 ? List.of(version) : List.of(),
        null,
        CauseResource.Pause.of(cause.pause()),
        null,
        null,
        null);
  }
}
