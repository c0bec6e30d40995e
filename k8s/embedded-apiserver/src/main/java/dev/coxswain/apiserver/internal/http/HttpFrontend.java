// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import dev.coxswain.apiserver.internal.access.Access;
import dev.coxswain.apiserver.internal.admission.Admission;
import dev.coxswain.apiserver.internal.discovery.Discovery;
import dev.coxswain.apiserver.internal.discovery.OpenApi;
import dev.coxswain.apiserver.internal.fault.FaultPlan;
import dev.coxswain.apiserver.internal.fault.RequestFacts;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.webhook.PendingException;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes requests, reads their bodies, and sends them where they belong; confined to the server's
 * event loop.
 */
public final class HttpFrontend implements Handler<HttpServerRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(HttpFrontend.class);

  /** As the real server: 3 MiB. */
  private static final int MAX_BODY = 3 * 1024 * 1024;

  private final Vertx vertx;
  private final Backend backend;
  private final FaultPlan faults;
  private final ResourceHandler resources;
  private final Discovery discovery;
  private final OpenApi openApi;
  private final HostCheck hosts;
  private final @Nullable FaultEndpoint faultEndpoint;

  /**
   * Creates the front.
   *
   * @param hosts which hosts requests may name
   * @param faultEndpoint whether {@code /coxswain/faults} is served
   * @param shards whether the shard selectors of lists and watches count
   */
  public HttpFrontend(
      Vertx vertx,
      Backend backend,
      FaultPlan faults,
      HostCheck hosts,
      boolean faultEndpoint,
      boolean shards) {
    this.vertx = vertx;
    this.backend = backend;
    this.faults = faults;
    this.hosts = hosts;
    this.resources = new ResourceHandler(backend, shards);
    this.discovery = new Discovery(backend.registry());
    this.openApi = new OpenApi(backend.registry());
    this.faultEndpoint = faultEndpoint ? new FaultEndpoint(backend, faults) : null;
  }

  @Override
  public void handle(HttpServerRequest request) {
    Buffer body = Buffer.buffer();
    Exchange exchange = new Exchange(request, body, backend.rendering(), faults.gate());
    boolean[] refused = new boolean[1];
    request.exceptionHandler(
        e -> LOG.atDebug().addKeyValue("path", request.path()).log("request aborted"));
    request.handler(chunk -> {
      if (refused[0]) {
        return;
      }
      if (body.length() + chunk.length() > MAX_BODY) {
        refused[0] = true;
        tooLarge(exchange);
      } else {
        body.appendBuffer(chunk);
      }
    });
    request.endHandler(v -> {
      if (!refused[0]) {
        admit(exchange);
      }
    });
  }

  private void tooLarge(Exchange exchange) {
    exchange.response().putHeader("Connection", "close");
    exchange.fail(
        ApiException.of(
            413, "RequestEntityTooLarge", "Request entity too large: limit is " + MAX_BODY, null));
    // the rest of the body is of no interest; a moment later the client has had time to read the
    // answer
    vertx.setTimer(500, id -> exchange.request().connection().close());
  }

  /** Checks the host, then applies faults, except to requests that are about faults. */
  private void admit(Exchange exchange) {
    try {
      hosts.check(exchange.request());
    } catch (ApiException e) {
      exchange.fail(e);
      return;
    }
    FaultEndpoint endpoint = faultEndpoint;
    if (endpoint != null && endpoint.serves(exchange)) {
      guarded(exchange, endpoint::handle);
    } else if (faults.idle()) {
      guarded(exchange, this::route);
    } else {
      hold(exchange, () -> delay(exchange));
    }
  }

  private void hold(Exchange exchange, Runnable next) {
    if (!faults.gate().pass(next)) {
      exchange.request().connection().close();
    }
  }

  private void delay(Exchange exchange) {
    long millis = faults.latency(facts(exchange)).toMillis();
    if (millis > 0) {
      vertx.setTimer(millis, id -> hold(exchange, () -> answer(exchange)));
    } else {
      answer(exchange);
    }
  }

  private void answer(Exchange exchange) {
    ApiException fault = faults.failure(facts(exchange));
    if (fault != null) {
      exchange.fail(fault);
    } else {
      guarded(exchange, this::route);
    }
  }

  private static RequestFacts facts(Exchange exchange) {
    String path = exchange.request().path();
    List<String> segments = path == null ? null : RequestPath.segments(path);
    RequestPath parsed = segments != null && api(segments) ? RequestPath.parse(segments) : null;
    String uri = exchange.request().uri();
    if (parsed == null || parsed.resource().isEmpty()) {
      return new RequestFacts(exchange.method().toLowerCase(Locale.ROOT), "", "", uri);
    }
    String resource =
        parsed.subresource().isEmpty()
            ? parsed.resource()
            : parsed.resource() + "/" + parsed.subresource();
    return new RequestFacts(ResourceHandler.verb(exchange, parsed), parsed.group(), resource, uri);
  }

  private static void guarded(Exchange exchange, Consumer<Exchange> handler) {
    try {
      handler.accept(exchange);
    } catch (PendingException e) {
      e.resolve().onComplete(done -> answered(exchange, handler));
    } catch (ApiException e) {
      exchange.fail(e);
    } catch (RuntimeException | StackOverflowError e) {
      LOG.atError()
          .addKeyValue("method", exchange.method())
          .addKeyValue("path", exchange.request().path())
          .setCause(e)
          .log("request failed unexpectedly");
      exchange.fail(
          ApiException.of(
              500,
              "InternalError",
              "Internal error occurred: " + e.getClass().getSimpleName(),
              Json.object()));
    }
  }

  /** Handles a request again, with the answers of webhooks; a client that has gone gets none. */
  private static void answered(Exchange exchange, Consumer<Exchange> handler) {
    if (exchange.response().closed()) {
      return;
    }
    exchange.warn(List.of());
    guarded(exchange, handler);
  }

  private void route(Exchange exchange) {
    RequestTimeout.check(exchange);
    Access.User user = backend.access().authenticate(exchange.request().headers());
    if (user == null) {
      throw ApiException.of(401, "Unauthorized", "Unauthorized", null);
    }
    String path = exchange.request().path();
    List<String> segments = path == null ? null : RequestPath.segments(path);
    if (segments == null) {
      throw ApiException.badRequest("malformed path");
    }
    String first = segments.isEmpty() ? "" : segments.getFirst();
    RequestPath parsed = api(segments) ? RequestPath.parse(segments) : null;
    if (parsed != null && !parsed.resource().isEmpty()) {
      resource(exchange, user, parsed);
      return;
    }
    String verb = exchange.method().toLowerCase(Locale.ROOT);
    Access.Attributes wanted =
        new Access.Attributes(verb, "", "", "", "", "", "/" + String.join("/", segments));
    if (!publicPath(first) && !backend.access().decide(user, wanted)) {
      throw ApiException.of(
          403,
          "Forbidden",
          "forbidden: User \"%s\" cannot %s path \"%s\""
              .formatted(user.name(), verb, wanted.path()),
          Json.object());
    }
    plain(exchange, segments, first);
  }

  private static boolean api(List<String> segments) {
    String first = segments.isEmpty() ? "" : segments.getFirst();
    return first.equals("api") || first.equals("apis");
  }

  /** Paths that every user may read, as in the default roles of a cluster. */
  private static boolean publicPath(String first) {
    return switch (first) {
      case "api", "apis", "version", "healthz", "livez", "readyz", "openapi" -> true;
      default -> false;
    };
  }

  private void plain(Exchange exchange, List<String> segments, String first) {
    boolean read = exchange.method().equals("GET") || exchange.method().equals("HEAD");
    switch (first) {
      case "healthz", "livez", "readyz" -> health(exchange, first);
      case "version" -> {
        if (!read) {
          throw ApiException.methodNotAllowed();
        }
        exchange.json(200, Json.bytes(Discovery.version()));
      }
      case "metrics" -> exchange.text(200, "");
      case "api", "apis" -> {
        if (!read) {
          throw ApiException.methodNotAllowed();
        }
        discover(exchange, segments);
      }
      case "openapi" -> {
        if (segments.size() == 2 && segments.get(1).equals("v2")) {
          exchange.openApiV2();
          return;
        }
        byte[] document = openApi.document(segments);
        if (document == null) {
          exchange.noSuchPath();
        } else {
          exchange.json(200, document);
        }
      }
      case "" -> exchange.tree(200, discovery.paths(), Negotiation.JSON);
      default -> exchange.noSuchPath();
    }
  }

  private static void health(Exchange exchange, String name) {
    exchange.text(
        200, exchange.query("verbose") == null ? "ok" : "[+]ping ok\n" + name + " check passed\n");
  }

  private void discover(Exchange exchange, List<String> segments) {
    Negotiation negotiation = Negotiation.of(exchange.header("Accept"), false, true);
    if (negotiation.aggregated() && segments.size() == 1) {
      exchange.json(
          200,
          Json.bytes(discovery.aggregated(segments.getFirst().equals("api"))),
          "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
      return;
    }
    var document = discovery.document(segments);
    if (document != null) {
      exchange.tree(200, document, negotiation);
    } else if (segments.size() > 2 && backend.registry().builtin(segments.get(1))) {
      throw ApiException.noSuchResource();
    } else {
      exchange.noSuchPath();
    }
  }

  private void resource(Exchange exchange, Access.User user, RequestPath path) {
    ServedResource resource =
        backend.registry().find(path.group(), path.version(), path.resource());
    resources.authorize(exchange, user, path);
    boolean scoped = resource == null || resource.type().namespaced() || path.namespace().isEmpty();
    if (resource == null || !scoped) {
      if (backend.registry().builtin(path.group())) {
        throw ApiException.noSuchResource();
      }
      exchange.noSuchPath();
      return;
    }
    exchange.admit(() -> Admission.of(backend.webhooks(), user));
    resources.handle(exchange, user, path, resource);
  }
}
