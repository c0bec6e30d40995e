// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static dev.coxswain.admin.Access.CONTROLLERS;
import static dev.coxswain.admin.Access.ITEMS;
import static dev.coxswain.admin.Access.to;
import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;

import dev.coxswain.admin.Access.Scope;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.controller.YieldingExecutor;
import dev.coxswain.time.Clock;
import io.vertx.core.Context;
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
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** The table of routes, and how a request finds its own. Confined to the admin event loop. */
final class Routes {

  static final String ROOT = "/api/v1";
  static final String CONTROLLER = "/controllers/{c}";
  static final String OPERATION = "/operations/{op}";
  static final String ITEM = CONTROLLER + "/items/{id}";
  static final String LIMITER = "/limiters/{l}";

  private final AdminOptions options;
  private final ControllerDirectory directory;
  private final Gatekeeper gate;
  private final OperationRights operationRights;
  private final FrontDoor door;
  private final Idempotency idempotency;
  private final Operations operations;
  private final List<Endpoint> table;
  private final List<Endpoint> peerTable;
  private final Discovery discovery;
  private final OpenApi openApi;
  private final Rights rights;

  Routes(
      AdminOptions options,
      ControllerDirectory directory,
      Gatekeeper gate,
      Connections connections,
      Context context,
      Clock clock,
      Statistics statistics,
      Pace pace,
      OperationLog log,
      PeerTrust trust,
      Dashboard dashboard,
      JsonWork work) {
    this.options = options;
    this.directory = directory;
    this.gate = gate;
    this.discovery = new Discovery(directory, gate);
    AuditTrail trail = new AuditTrail(clock);
    this.operationRights = new OperationRights(gate, log);
    Executor slices = new YieldingExecutor(context);
    this.door = new FrontDoor(options, connections, gate, trail, dashboard, work, slices);
    this.idempotency =
        new Idempotency(new LocalIdempotencyStore(clock, LocalIdempotencyStore.MAX_KEYS));
    Calls calls = new Calls(context, slices, Calls.MAX_PENDING);
    Controllers controllers = new Controllers(directory, calls, statistics, clock, work);
    Dumps dumps = new Dumps(context, directory, options);
    Items items = new Items(controllers, calls, dumps, options.changes(), work);
    operations =
        new Operations(controllers, calls, options.changes(), directory.replica(), clock, log);
    Audits audits = new Audits(trail, directory.replica());
    Limiters limiters = new Limiters(directory);
    Replicas replicas = new Replicas(directory);
    PeerClient peers = new PeerClient(context.owner(), trust, work, slices);
    Cluster cluster = new Cluster(directory, peers);
    PeerStreams streams = new PeerStreams(context.owner(), peers);
    EventFeed events =
        new EventFeed(context, pace, directory, log, cluster, streams, gate::mayGoOn);
    ClusterReads all = new ClusterReads(cluster, work);
    ClusterDumps allDumps =
        new ClusterDumps(
            context.owner(), cluster, streams, controllers, dumps, options.requestTimeout());
    ClusterWrites change = new ClusterWrites(cluster, idempotency);
    ClusterOrders orders =
        new ClusterOrders(
            cluster, change, operations, controllers::get, log, options.changes(), idempotency);
    ClusterOperations spanning = new ClusterOperations(cluster, change, operations, log);
    BooleanSupplier kept = () -> directory.pauses().isPresent();
    ItemWalk walk = new ItemWalk(cluster, items::list);
    ClusterAudits allAudits = new ClusterAudits(cluster, audits::list);
    ClusterLimiters allLimiters = new ClusterLimiters(cluster, limiters);
    Members members = new Members(directory, cluster, clock.instant());
    table =
        List.of(
            read("", Access.anybody(), this::discover),
            read("/openapi.json", Access.anybody(), this::describe),
            read("/rights", Access.anybody(), this::rights),
            read("/controllers", to(Verb.LIST, CONTROLLERS), all.controllers(controllers::list)),
            read(CONTROLLER, to(Verb.GET, CONTROLLERS), all.controller(controllers::get)),
            conditional(
                PATCH,
                CONTROLLER,
                to(Verb.UPDATE, CONTROLLERS),
                change.controller(controllers::get, controllers::patch)),
            conditional(
                POST,
                CONTROLLER + "/pause",
                to(Verb.PAUSE, CONTROLLERS),
                change.followed(controllers::get, controllers::pause, kept)),
            conditional(
                POST,
                CONTROLLER + "/resume",
                to(Verb.RESUME, CONTROLLERS),
                change.followed(controllers::get, controllers::resume, kept)),
            change(POST, CONTROLLER + "/operations", Access.toOperate(), orders::create),
            read(CONTROLLER + "/stats", to(Verb.GET, CONTROLLERS), all.statistics(statistics::get)),
            read(CONTROLLER + "/items", to(Verb.LIST, ITEMS, Scope.QUERY), allDumps.or(walk::list))
                .producing("application/json", Dumps.TYPE),
            change(
                POST,
                CONTROLLER + "/items",
                to(Verb.ENQUEUE, ITEMS, Scope.BODY),
                change.controller(controllers::get, items::add)),
            read(ITEM, to(Verb.GET, ITEMS, Scope.ITEM), all.item(items::get)),
            conditional(
                DELETE,
                ITEM,
                to(Verb.DROP, ITEMS, Scope.ITEM),
                change.item(items::get, items::drop)),
            read(
                ITEM + "/explain",
                to(Verb.GET, ITEMS, Scope.ITEM),
                all.explanation(items::explain)),
            conditional(
                POST,
                ITEM + "/retry",
                to(Verb.RETRY, ITEMS, Scope.ITEM),
                change.item(items::get, items::retry)),
            conditional(
                POST,
                ITEM + "/forget",
                to(Verb.FORGET, ITEMS, Scope.ITEM),
                change.item(items::get, items::forget)),
            conditional(
                POST,
                ITEM + "/requeue",
                to(Verb.REQUEUE, ITEMS, Scope.ITEM),
                change.item(items::get, items::requeue)),
            read("/operations", to(Verb.LIST, Access.OPERATIONS, Scope.QUERY), spanning::list),
            read(OPERATION, to(Verb.GET, Access.OPERATIONS, Scope.OPERATION), spanning::get),
            change(
                DELETE,
                OPERATION,
                to(Verb.STOP, Access.OPERATIONS, Scope.OPERATION),
                spanning::stop),
            read("/audit", to(Verb.LIST, Access.AUDIT), allAudits::list),
            read("/limiters", to(Verb.LIST, Access.LIMITERS), allLimiters::list),
            read(LIMITER, to(Verb.GET, Access.LIMITERS), allLimiters::get),
            change(PATCH, LIMITER, to(Verb.UPDATE, Access.LIMITERS), allLimiters.override(change)),
            change(
                DELETE,
                LIMITER + "/override",
                to(Verb.UPDATE, Access.LIMITERS),
                allLimiters.clear(change)),
            read("/replicas", to(Verb.LIST, Access.REPLICAS), replicas::list),
            read("/members", to(Verb.LIST, Access.REPLICAS), members::list),
            read("/events", Access.toEvents(), events::get).producing("text/event-stream"));
    peerTable =
        PeerRoutes.of(
            controllers, items, operations, members, statistics, audits, limiters, events);
    openApi = new OpenApi(table, context.owner());
    rights = new Rights(gate, table);
  }

  private static Endpoint read(String path, Access access, Endpoint.Handler handler) {
    return Endpoint.read(ROOT + path, access, handler);
  }

  private static Endpoint change(
      HttpMethod method, String path, Access access, Endpoint.Handler handler) {
    return Endpoint.change(method, ROOT + path, access, handler);
  }

  private static Endpoint conditional(
      HttpMethod method, String path, Access access, Endpoint.Handler handler) {
    return Endpoint.conditional(method, ROOT + path, access, handler);
  }

  Router mount(Vertx vertx) {
    Router router = Router.router(vertx);
    router.route().handler(door::handle);
    Map<String, Map<HttpMethod, Endpoint>> byPath = new LinkedHashMap<>();
    Stream.concat(table.stream(), peerTable.stream())
        .forEach(endpoint ->
            byPath
                .computeIfAbsent(endpoint.path(), path -> new LinkedHashMap<>())
                .put(endpoint.method(), endpoint));
    byPath.forEach((path, methods) ->
        router
            .route(path.replace('{', ':').replace("}", ""))
            .handler(routing -> dispatch(routing, methods)));
    router.route().last().handler(this::unknownPath);
    router.route().failureHandler(this::failed);
    // Reached when the matching itself fails, before any handler of ours.
    for (int status : new int[] {400, 404, 405, 406, 415, 500}) {
      router.errorHandler(status, this::failed);
    }
    return router;
  }

  /** Stops what runs in the background; completes when it has ended, or after a moment. */
  Future<Void> close() {
    return operations.close();
  }

  private void dispatch(RoutingContext routing, Map<HttpMethod, Endpoint> methods) {
    Exchange exchange = door.exchange(routing);
    HttpServerRequest request = routing.request();
    HttpMethod method =
        request.method().equals(HttpMethod.HEAD) ? HttpMethod.GET : request.method();
    Endpoint endpoint = methods.get(method);
    if (endpoint == null) {
      exchange.problem(methodNotAllowed(request.method(), methods));
      return;
    }
    exchange.matched(endpoint);
    boolean peer = peerTable.contains(endpoint);
    if (peer) {
      request
          .response()
          .putHeader(PeerClient.PROTOCOL_HEADER, PeerClient.PROTOCOL)
          .putHeader(PeerClient.REPLICA_HEADER, directory.replica());
    }
    guarded(
        exchange,
        () -> {
          if (peer) {
            checkPeer(request);
            ClusterScope.take(exchange); // it has been decided by whoever asks
          }
          exchange.negotiate(endpoint);
          if (endpoint.mutating()) {
            ChangeGuard.check(request, endpoint, options.changes().requireIfMatch());
          } else if (Exchange.hasBody(request)) {
            throw Problem.invalid("unexpected-body", "a read takes no body; send none").rejection();
          }
          if (!endpoint.mutating()) {
            permit(exchange, endpoint, () -> exchange.run(endpoint, idempotency));
          } else if (endpoint.access().needsBody()) {
            readBody(
                exchange,
                () -> permit(exchange, endpoint, () -> exchange.run(endpoint, idempotency)));
          } else {
            permit(
                exchange,
                endpoint,
                () -> readBody(exchange, () -> exchange.run(endpoint, idempotency)));
          }
        });
  }

  /** Answers nothing that is meant for another replica, or in another version. */
  private void checkPeer(HttpServerRequest request) {
    String meant = request.getHeader(PeerClient.REPLICA_HEADER);
    String protocol = request.getHeader(PeerClient.PROTOCOL_HEADER);
    if ((meant != null && !meant.equals(directory.replica()))
        || !PeerClient.PROTOCOL.equals(protocol)) {
      throw Problem.of(
              421,
              "misdirected-request",
              "Misdirected request",
              "this is replica \""
                  + Json.line(directory.replica(), 64)
                  + "\", and replicas ask each other in version "
                  + PeerClient.PROTOCOL)
          .rejection();
    }
  }

  /** Goes on when the caller may do what they want to. */
  private void permit(Exchange exchange, Endpoint endpoint, Runnable next) {
    permitted(exchange, endpoint.access())
        .onComplete((yes, failure) -> {
          if (failure != null) {
            exchange.fail(failure);
          } else if (!exchange.answered()) {
            guarded(exchange, next);
          }
        });
  }

  private Future<Void> permitted(Exchange exchange, Access access) {
    Verb first = access.verbs().getFirst();
    if (access.isForAnybody()) {
      return gate.permitAnybody(first);
    }
    if (access.scope() != Scope.OPERATION) {
      return gate.permit(exchange.principal(), access.of(exchange));
    }
    return operationRights
        .permit(exchange.principal(), first, exchange.param("op"))
        .recover(refused -> elsewhere(exchange, refused))
        .onSuccess(exchange::permit)
        .mapEmpty();
  }

  /** Who may not see an operation that is not known here may see it where it is known. */
  private Future<OperationPermit> elsewhere(Exchange exchange, Throwable refused) {
    if (refused instanceof Rejection rejection
        && !exchange.ofReplica()
        && rejection.problem().slug().equals("forbidden")
        && operationRights.isUnknown(exchange.param("op"))
        && directory.replicas().size() > 1) {
      return Future.succeededFuture(new OperationPermit(null, rejection));
    }
    return Future.failedFuture(refused);
  }

  private static void guarded(Exchange exchange, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      exchange.fail(e);
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
            "this address takes " + list + ", found " + Json.line(method.name(), 16))
        .with("Allow", list);
  }

  private void readBody(Exchange exchange, Runnable next) {
    HttpServerRequest request = exchange.request();
    String length = request.getHeader("Content-Length");
    if (length != null && (length.length() > 9 || Long.parseLong(length) > options.maxBody())) {
      throw tooLarge().rejection();
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      request.response().writeContinue();
    }
    Buffer body = Buffer.buffer();
    request.handler(part -> {
      if (exchange.answered()) {
        return; // nothing more is kept
      }
      if (body.length() + part.length() > options.maxBody()) {
        exchange.problem(tooLarge());
      } else {
        body.appendBuffer(part);
      }
    });
    request.endHandler(end -> {
      if (!exchange.answered()) {
        guarded(
            exchange,
            () -> {
              exchange.received(body);
              next.run();
            });
      }
    });
    exchange.readsBody();
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
    door.exchange(routing).problem(notFound());
  }

  private static Problem notFound() {
    return Problem.of(
        404, "not-found", "Not found", "there is nothing here; GET /api/v1 lists the routes");
  }

  /** Answers what vertx-web itself refuses, and faults that got past every other net. */
  private void failed(RoutingContext routing) {
    Exchange exchange = door.exchange(routing);
    int status = routing.statusCode();
    if (status == 404) {
      exchange.problem(notFound());
    } else if (status >= 400 && status < 500) {
      exchange.problem(
          Problem.of(status, "invalid-request", "Invalid request", "the request is malformed"));
    } else {
      Throwable failure = routing.failure();
      exchange.fail(failure == null ? new IllegalStateException("status " + status) : failure);
    }
  }

  private Future<Reply> rights(Exchange exchange) {
    return rights.list(exchange);
  }

  private Future<Reply> discover(Exchange exchange) {
    return discovery.get(exchange, table);
  }

  private Future<Reply> describe(Exchange exchange) {
    return openApi.get(exchange);
  }
}
