// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static dev.coxswain.admin.Access.CONTROLLERS;
import static dev.coxswain.admin.Access.ITEMS;
import static dev.coxswain.admin.Access.to;
import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.Access.Scope;
import dev.coxswain.admin.auth.Verb;
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
import java.util.stream.Stream;

/** The table of routes, and how a request finds its own. Confined to the admin event loop. */
final class Routes {

  static final String ROOT = "/api/v1";
  private static final String CONTROLLER = "/controllers/{c}";
  private static final String OPERATION = "/operations/{op}";
  private static final String ITEM = CONTROLLER + "/items/{id}";

  private final AdminOptions options;
  private final ControllerDirectory directory;
  private final Gatekeeper gate;
  private final OperationRights operationRights;
  private final FrontDoor door;
  private final Idempotency idempotency;
  private final Operations operations;
  private final List<Endpoint> table;
  private final List<Endpoint> peerTable;
  private final OpenApi openApi;

  Routes(
      AdminOptions options,
      ControllerDirectory directory,
      Gatekeeper gate,
      Connections connections,
      Context context,
      Clock clock,
      Statistics statistics,
      EventFeed events,
      OperationLog log,
      PeerTrust trust) {
    this.options = options;
    this.directory = directory;
    this.gate = gate;
    AuditTrail trail = new AuditTrail(clock);
    this.operationRights = new OperationRights(gate, log);
    this.door = new FrontDoor(options, connections, gate, trail);
    this.idempotency =
        new Idempotency(new LocalIdempotencyStore(clock, LocalIdempotencyStore.MAX_KEYS));
    Calls calls = new Calls(context);
    Controllers controllers = new Controllers(directory, calls, statistics, clock);
    Dumps dumps = new Dumps(calls, context, directory.replica(), options.requestTimeout());
    Items items = new Items(controllers, calls, dumps, options.changes());
    operations =
        new Operations(controllers, calls, options.changes(), directory.replica(), clock, log);
    Audits audits = new Audits(trail, directory.replica());
    Limiters limiters = new Limiters(directory);
    Replicas replicas = new Replicas(directory);
    Cluster cluster = new Cluster(directory, new PeerClient(context.owner(), trust));
    ClusterReads all = new ClusterReads(cluster);
    ItemWalk walk = new ItemWalk(cluster, items::list);
    Members members = new Members(directory, cluster, clock.instant());
    table =
        List.of(
            read("", Access.anybody(), this::discovery),
            read("/openapi.json", Access.anybody(), this::describe),
            read("/controllers", to(Verb.LIST, CONTROLLERS), all.controllers(controllers::list)),
            read(CONTROLLER, to(Verb.GET, CONTROLLERS), all.controller(controllers::get)),
            conditional(PATCH, CONTROLLER, to(Verb.UPDATE, CONTROLLERS), controllers::patch),
            conditional(
                POST, CONTROLLER + "/pause", to(Verb.PAUSE, CONTROLLERS), controllers::pause),
            conditional(
                POST, CONTROLLER + "/resume", to(Verb.RESUME, CONTROLLERS), controllers::resume),
            change(POST, CONTROLLER + "/operations", Access.toOperate(), operations::create),
            read(CONTROLLER + "/stats", to(Verb.GET, CONTROLLERS), statistics::get),
            read(CONTROLLER + "/items", to(Verb.LIST, ITEMS, Scope.QUERY), walk::list)
                .producing("application/json", Dumps.TYPE),
            change(POST, CONTROLLER + "/items", to(Verb.ENQUEUE, ITEMS, Scope.BODY), items::add),
            read(ITEM, to(Verb.GET, ITEMS, Scope.ITEM), all.item(items::get)),
            conditional(DELETE, ITEM, to(Verb.DROP, ITEMS, Scope.ITEM), items::drop),
            read(
                ITEM + "/explain",
                to(Verb.GET, ITEMS, Scope.ITEM),
                all.explanation(items::explain)),
            conditional(POST, ITEM + "/retry", to(Verb.RETRY, ITEMS, Scope.ITEM), items::retry),
            conditional(POST, ITEM + "/forget", to(Verb.FORGET, ITEMS, Scope.ITEM), items::forget),
            conditional(
                POST, ITEM + "/requeue", to(Verb.REQUEUE, ITEMS, Scope.ITEM), items::requeue),
            read("/operations", to(Verb.LIST, Access.OPERATIONS, Scope.QUERY), operations::list),
            read(OPERATION, to(Verb.GET, Access.OPERATIONS, Scope.OPERATION), operations::get),
            change(
                DELETE,
                OPERATION,
                to(Verb.STOP, Access.OPERATIONS, Scope.OPERATION),
                operations::stop),
            read("/audit", to(Verb.LIST, Access.AUDIT), audits::list),
            read("/limiters", to(Verb.LIST, Access.LIMITERS), limiters::list),
            read("/limiters/{l}", to(Verb.GET, Access.LIMITERS), limiters::get),
            read("/replicas", to(Verb.LIST, Access.REPLICAS), replicas::list),
            read("/members", to(Verb.LIST, Access.REPLICAS), members::list),
            read("/events", Access.toEvents(), events::get).producing("text/event-stream"));
    // The same rights as above: whoever may not ask for all may not ask one by one.
    peerTable =
        List.of(
            peer("/controllers", to(Verb.LIST, CONTROLLERS), controllers::list),
            peer(CONTROLLER, to(Verb.GET, CONTROLLERS), controllers::get),
            peer(CONTROLLER + "/items", to(Verb.LIST, ITEMS, Scope.QUERY), items::list),
            peer(ITEM, to(Verb.GET, ITEMS, Scope.ITEM), items::get),
            peer(ITEM + "/explain", to(Verb.GET, ITEMS, Scope.ITEM), items::explain),
            peer("/member", to(Verb.LIST, Access.REPLICAS), members::member));
    openApi = new OpenApi(table, context.owner());
  }

  private static Endpoint read(String path, Access access, Endpoint.Handler handler) {
    return Endpoint.read(ROOT + path, access, handler);
  }

  private static Endpoint peer(String path, Access access, Endpoint.Handler handler) {
    return Endpoint.read(Cluster.ROOT + path, access, handler);
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
    if (peerTable.contains(endpoint)) {
      request
          .response()
          .putHeader(PeerClient.PROTOCOL_HEADER, PeerClient.PROTOCOL)
          .putHeader(PeerClient.REPLICA_HEADER, directory.replica());
    }
    guarded(
        exchange,
        () -> {
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
    return access.scope() == Scope.OPERATION
        ? operationRights.permit(exchange.principal(), first, exchange.param("op"))
        : gate.permit(exchange.principal(), access.of(exchange));
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

  private Future<Reply> describe(Exchange exchange) {
    return openApi.get(exchange);
  }

  private Future<Reply> discovery(Exchange exchange) {
    exchange.query().done();
    ObjectNode json = Json.object();
    json.put("kind", "Discovery");
    json.put("name", "coxswain");
    json.put("version", version());
    json.put("apiVersion", "v1");
    json.put("replica", directory.replica());
    json.put("authentication", gate.control().mode());
    json.put("access", gate.control().ceiling().label());
    ObjectNode caller = json.putObject("principal");
    caller.put("name", Json.clean(exchange.principal().name()));
    var groups = caller.putArray("groups");
    exchange.principal().groups().forEach(group -> groups.add(Json.clean(group)));
    var routes = json.putArray("routes");
    table.forEach(endpoint -> route(routes.addObject(), endpoint));
    return Future.succeededFuture(Reply.ok(json));
  }

  static String version() {
    String version = Routes.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  private static void route(ObjectNode json, Endpoint endpoint) {
    json.put("method", endpoint.method().name()).put("path", endpoint.path());
    Access access = endpoint.access();
    if (!access.isForAnybody()) {
      json.put("resource", access.resource());
      var verbs = json.putArray("verbs");
      access.verbs().forEach(verb -> verbs.add(verb.label()));
      json.put("namespace", access.scope().label());
    }
  }
}
