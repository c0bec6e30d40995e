// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.access.ChangeGuard;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Access.Scope;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.idempotency.Idempotency;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.operation.OperationRights;
import dev.coxswain.admin.internal.operation.OperationScope;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.internal.undo.Undo;
import dev.coxswain.admin.spi.ControllerDirectory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Leads a request to its route by path and method, then through the checks of the route: the
 * addressed replica, its form, the rights of the caller and its body. Refusals are sent here.
 * Confined to the admin event loop.
 */
final class Dispatcher {

  private final AdminOptions options;
  private final ControllerDirectory directory;
  private final AccessHandler access;
  private final OperationRights operationRights;
  private final RequestAdmission admission;
  private final Idempotency idempotency;
  private final BodyLimit bodies;

  Dispatcher(
      AdminOptions options,
      ControllerDirectory directory,
      AccessHandler access,
      OperationRights operationRights,
      RequestAdmission admission,
      Idempotency idempotency) {
    this.options = options;
    this.directory = directory;
    this.access = access;
    this.operationRights = operationRights;
    this.admission = admission;
    this.idempotency = idempotency;
    this.bodies = new BodyLimit(options.maxInFlight() / 4);
  }

  /**
   * Returns a router.
   *
   * @param table the routes for clients
   * @param peerTable the routes for other replicas; no path is in both
   */
  Router mount(Vertx vertx, List<Endpoint> table, List<Endpoint> peerTable) {
    Router router = Router.router(vertx);
    router.route().handler(admission::handle);
    mount(router, table, false);
    mount(router, peerTable, true);
    router.route().last().handler(this::unknownPath);
    router.route().failureHandler(this::failed);
    // Called when the matching fails, before all other handlers.
    for (int status : new int[] {400, 404, 405, 406, 415, 500}) {
      router.errorHandler(status, this::failed);
    }
    return router;
  }

  private void mount(Router router, List<Endpoint> table, boolean peers) {
    Map<String, Map<HttpMethod, Endpoint>> byPath = new LinkedHashMap<>();
    table.forEach(endpoint ->
        byPath
            .computeIfAbsent(endpoint.path(), path -> new LinkedHashMap<>())
            .put(endpoint.method(), endpoint));
    byPath.forEach((path, methods) ->
        router
            .route(path.replace('{', ':').replace("}", ""))
            .handler(routing -> dispatch(routing, methods, peers)));
  }

  private void dispatch(RoutingContext routing, Map<HttpMethod, Endpoint> methods, boolean peer) {
    RequestContext context = admission.context(routing);
    HttpServerRequest request = routing.request();
    HttpMethod method =
        request.method().equals(HttpMethod.HEAD) ? HttpMethod.GET : request.method();
    Endpoint endpoint = methods.get(method);
    if (endpoint == null) {
      context.problem(methodNotAllowed(request.method(), methods));
      return;
    }
    context.matched(endpoint);
    if (peer) {
      request
          .response()
          .putHeader(ApiHeaders.PEER_PROTOCOL, ApiHeaders.PEER_PROTOCOL_VERSION)
          .putHeader(ApiHeaders.REPLICA, directory.replica());
    }
    guarded(
        context,
        () -> {
          if (peer) {
            checkPeer(request);
            checkFind(request, endpoint);
            ClusterScope.take(context); // the replica that sent the request has decided
          }
          context.negotiate(endpoint);
          if (endpoint.mutating()) {
            ChangeGuard.check(request, endpoint, options.changes().requireIfMatch());
          } else if (RequestContext.hasBody(request)) {
            throw Problem.invalid("unexpected-body", "a read takes no body; send none").rejection();
          }
          Endpoint.Handler handler =
              endpoint.mutating() ? idempotency.once(endpoint.handler()) : endpoint.handler();
          if (!endpoint.mutating()) {
            permit(context, endpoint, () -> context.run(handler));
          } else if (endpoint.access().needsBody()) {
            belowCeiling(endpoint.access());
            bodies.begin(context);
            readBody(
                context,
                () -> {
                  bodies.end(context);
                  permit(context, endpoint, () -> context.run(handler));
                });
          } else {
            permit(context, endpoint, () -> readBody(context, () -> context.run(handler)));
          }
        });
  }

  /** Refuses a request whose body decides about the verb, when no caller may do any of them. */
  private void belowCeiling(Access required) {
    if (required.verbs().stream().noneMatch(access::isBelowCeiling)) {
      throw access.aboveCeiling(required.verbs().getFirst());
    }
  }

  /** Refuses a request for another replica, or with another version of the protocol. */
  private void checkPeer(HttpServerRequest request) {
    String meant = request.getHeader(ApiHeaders.REPLICA);
    String protocol = request.getHeader(ApiHeaders.PEER_PROTOCOL);
    if ((meant != null && !meant.equals(directory.replica()))
        || !ApiHeaders.PEER_PROTOCOL_VERSION.equals(protocol)) {
      throw Problem.of(
              421,
              "misdirected-request",
              "Misdirected request",
              "this is replica \""
                  + Json.line(directory.replica(), 64)
                  + "\", which supports the protocol between replicas in version "
                  + ApiHeaders.PEER_PROTOCOL_VERSION)
          .rejection();
    }
  }

  /** Refuses to only find out about a change that would be made nevertheless. */
  private static void checkFind(HttpServerRequest request, Endpoint endpoint) {
    if (endpoint.mutating()
        && request.getHeader(ApiHeaders.FIND) != null
        && !(endpoint.handler() instanceof Endpoint.FindingHandler)) {
      throw Problem.invalid(
              "invalid-header",
              ApiHeaders.FIND + " has no meaning for this path; leave it out",
              new Problem.Fault("header", ApiHeaders.FIND, "is not supported here"))
          .rejection();
    }
  }

  /** Continues when the caller has the right. */
  private void permit(RequestContext context, Endpoint endpoint, Runnable next) {
    permitted(context, endpoint.access())
        .onComplete((yes, failure) -> {
          if (failure != null) {
            context.fail(failure);
          } else if (!context.answered()) {
            guarded(context, next);
          }
        });
  }

  private Future<Void> permitted(RequestContext context, Access required) {
    Verb first = required.verbs().getFirst();
    if (required.isForAnyCaller() || required.scope() == Scope.EACH) {
      return access.permitWithinCeiling(first);
    }
    if (required.scope() != Scope.OPERATION) {
      return access.permit(context.principal(), required.of(context));
    }
    return operationRights
        .permit(context.principal(), first, context.param("op"))
        .recover(refused -> onOtherReplicas(context, refused))
        .onSuccess(permit -> context.attach(OperationScope.class, permit))
        .mapEmpty();
  }

  /**
   * An operation that is unknown here may be one that the caller has the right to, on another
   * replica.
   */
  private Future<OperationScope> onOtherReplicas(RequestContext context, Throwable refused) {
    if (refused instanceof Rejection rejection
        && !context.ofReplica()
        && rejection.problem().slug().equals("forbidden")
        && operationRights.isUnknown(context.param("op"))
        && directory.replicas().size() > 1) {
      return Future.succeededFuture(new OperationScope(null, rejection));
    }
    return Future.failedFuture(refused);
  }

  private static void guarded(RequestContext context, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      context.fail(e);
    }
  }

  private static Problem methodNotAllowed(HttpMethod method, Map<HttpMethod, Endpoint> methods) {
    TreeSet<String> allowed = new TreeSet<>();
    methods.keySet().forEach(known -> allowed.add(known.name()));
    if (methods.containsKey(HttpMethod.GET)) {
      allowed.add("HEAD");
    }
    String list = String.join(", ", allowed);
    return Problem.of(
            405,
            "method-not-allowed",
            "Method not allowed",
            "this path has the methods " + list + ", found " + Json.line(method.name(), 16))
        .with("Allow", list);
  }

  private void readBody(RequestContext context, Runnable next) {
    HttpServerRequest request = context.request();
    String length = request.getHeader("Content-Length");
    if (length != null && (length.length() > 9 || Long.parseLong(length) > options.maxBody())) {
      throw tooLarge().rejection();
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      request.response().writeContinue();
    }
    Buffer body = Buffer.buffer();
    request.handler(part -> {
      if (context.answered()) {
        return; // the rest of the body is discarded
      }
      if (body.length() + part.length() > options.maxBody()) {
        context.problem(tooLarge());
      } else {
        body.appendBuffer(part);
      }
    });
    // The client is gone: its place is free at once, not at the end of its time.
    request.exceptionHandler(gone -> {
      if (!request.isEnded()) {
        context.problem(
            Problem.invalid("malformed-request", "the connection ended before the body"));
      }
    });
    request.endHandler(end -> {
      if (!context.answered()) {
        guarded(
            context,
            () -> {
              context.received(body);
              Undo.checkAbsent(context);
              next.run();
            });
      }
    });
    context.readsBody();
    request.resume();
  }

  private Problem tooLarge() {
    return Problem.of(
        413,
        "body-too-large",
        "Body too large",
        "a body may have at most " + options.maxBody() + " bytes");
  }

  private void unknownPath(RoutingContext routing) {
    admission.context(routing).problem(notFound());
  }

  private static Problem notFound() {
    return Problem.of(
        404, "not-found", "Not found", "there is no such route; GET /api/v1 lists the routes");
  }

  /** Responds to refusals of vertx-web, and to failures that no handler has caught. */
  private void failed(RoutingContext routing) {
    RequestContext context = admission.context(routing);
    int status = routing.statusCode();
    if (status == 404) {
      context.problem(notFound());
    } else if (status >= 400 && status < 500) {
      context.problem(
          Problem.of(status, "invalid-request", "Invalid request", "the request is malformed"));
    } else {
      Throwable failure = routing.failure();
      context.fail(failure == null ? new IllegalStateException("status " + status) : failure);
    }
  }
}
