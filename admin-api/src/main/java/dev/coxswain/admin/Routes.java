// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
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

/** The table of routes, and how a request finds its own. Confined to the admin event loop. */
final class Routes {

  private static final String ROOT = "/api/v1";
  private static final String CONTROLLER = ROOT + "/controllers/{c}";
  private static final String ITEM = CONTROLLER + "/items/{id}";

  private final AdminOptions options;
  private final ControllerDirectory directory;
  private final FrontDoor door;
  private final List<Endpoint> table;
  private final OpenApi openApi;

  Routes(
      AdminOptions options,
      ControllerDirectory directory,
      Connections connections,
      Context context,
      Clock clock) {
    this.options = options;
    this.directory = directory;
    this.door = new FrontDoor(options, connections);
    Calls calls = new Calls(context);
    Controllers controllers = new Controllers(directory, calls);
    Items items = new Items(controllers, calls);
    Operations operations = new Operations(controllers, calls, directory.replica(), clock);
    Limiters limiters = new Limiters(directory);
    Replicas replicas = new Replicas(directory);
    table =
        List.of(
            Endpoint.read(ROOT, this::discovery),
            Endpoint.read(ROOT + "/openapi.json", this::describe),
            Endpoint.read(ROOT + "/controllers", controllers::list),
            Endpoint.read(CONTROLLER, controllers::get),
            Endpoint.change(HttpMethod.PATCH, CONTROLLER, controllers::patch),
            Endpoint.change(HttpMethod.POST, CONTROLLER + "/pause", controllers::pause),
            Endpoint.change(HttpMethod.POST, CONTROLLER + "/resume", controllers::resume),
            Endpoint.change(HttpMethod.POST, CONTROLLER + "/operations", operations::create),
            Endpoint.read(CONTROLLER + "/items", items::list),
            Endpoint.change(HttpMethod.POST, CONTROLLER + "/items", items::add),
            Endpoint.read(ITEM, items::get),
            Endpoint.conditional(HttpMethod.DELETE, ITEM, items::drop),
            Endpoint.read(ITEM + "/explain", items::explain),
            Endpoint.conditional(HttpMethod.POST, ITEM + "/retry", items::retry),
            Endpoint.conditional(HttpMethod.POST, ITEM + "/forget", items::forget),
            Endpoint.conditional(HttpMethod.POST, ITEM + "/requeue", items::requeue),
            Endpoint.read(ROOT + "/limiters", limiters::list),
            Endpoint.read(ROOT + "/limiters/{l}", limiters::get),
            Endpoint.read(ROOT + "/replicas", replicas::list));
    openApi = new OpenApi(table, context.owner());
  }

  Router mount(Vertx vertx) {
    Router router = Router.router(vertx);
    router.route().handler(door::handle);
    Map<String, Map<HttpMethod, Endpoint>> byPath = new LinkedHashMap<>();
    for (Endpoint endpoint : table) {
      byPath
          .computeIfAbsent(endpoint.path(), path -> new LinkedHashMap<>())
          .put(endpoint.method(), endpoint);
    }
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
    try {
      exchange.negotiate(endpoint);
      if (endpoint.mutating()) {
        ChangeGuard.check(request, endpoint);
        readBody(exchange, endpoint);
      } else if (Exchange.hasBody(request)) {
        throw Problem.invalid("unexpected-body", "a read takes no body; send none").rejection();
      } else {
        exchange.run(endpoint, null);
      }
    } catch (Rejection e) {
      exchange.problem(e.problem());
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

  private void readBody(Exchange exchange, Endpoint endpoint) {
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
    request.endHandler(end -> exchange.run(endpoint, body));
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
    String version = Routes.class.getPackage().getImplementationVersion();
    ObjectNode json = Json.object();
    json.put("kind", "Discovery");
    json.put("name", "coxswain");
    json.put("version", version == null ? "dev" : version);
    json.put("apiVersion", "v1");
    json.put("replica", directory.replica());
    json.put("authentication", "none");
    var routes = json.putArray("routes");
    table.forEach(endpoint ->
        routes.addObject().put("method", endpoint.method().name()).put("path", endpoint.path()));
    return Future.succeededFuture(Reply.ok(json));
  }
}
