// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.admin.internal.dashboard.Dashboard;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.Paths;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Loopback;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.http.internal.ConnectionLimits;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The checks of every request before its route: the Host header, the form of the path,
 * authentication, and the limits of requests in flight. Only the files of the dashboard need no
 * authentication, and they count for no limit. Confined to the admin event loop.
 */
final class RequestAdmission {

  private static final String KEY = "coxswain.context";
  private static final String PLACE = "coxswain.place";

  /** The part of the requests in flight that one caller may have. */
  private static final int CALLERS = 4;

  private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private static final CharSequence REQUEST_ID_NAME = HttpHeaders.createOptimized("X-Request-Id");

  /** The headers of every response, names and values in turn. */
  private static final List<CharSequence> ALWAYS =
      Stream.of(
              "Cache-Control",
              "no-store",
              "X-Content-Type-Options",
              "nosniff",
              "Content-Security-Policy",
              "default-src 'none'; frame-ancestors 'none'",
              "X-Frame-Options",
              "DENY",
              "Referrer-Policy",
              "no-referrer",
              "Cross-Origin-Resource-Policy",
              "same-origin")
          .map(HttpHeaders::createOptimized)
          .toList();

  private final AdminOptions options;
  private final ConnectionLimits connections;
  private final AccessHandler access;
  private final AuditTrail audit;
  private final Dashboard dashboard;
  private final JsonWork work;
  private final Executor slices;

  /**
   * Requests of clients, and of other replicas, which must not wait for clients: that could be
   * mutual.
   */
  private final InFlightLimit ofClients;

  /** All replicas send requests of one caller, so only what is left bounds its share. */
  private final InFlightLimit ofReplicas;

  /** Requests of which the token is being reviewed; they take no place of admitted ones. */
  private int unauthenticated;

  RequestAdmission(
      AdminOptions options,
      ConnectionLimits connections,
      AccessHandler access,
      AuditTrail audit,
      Dashboard dashboard,
      JsonWork work,
      Executor slices) {
    this.options = options;
    this.connections = connections;
    this.access = access;
    this.audit = audit;
    this.dashboard = dashboard;
    this.work = work;
    this.slices = slices;
    int max = options.maxInFlight();
    this.ofClients = new InFlightLimit(max, (max + CALLERS - 1) / CALLERS);
    this.ofReplicas = new InFlightLimit(max, max);
  }

  void handle(RoutingContext routing) {
    RequestContext context = context(routing);
    try {
      checkAddress(routing.request(), options.loopback());
      if (dashboard.serves(routing.request().path())) {
        context.reply(
            dashboard.answer(routing.request())); // needs no authentication: it contains no data
        return;
      }
    } catch (Rejection e) {
      context.problem(e.problem());
      return;
    }
    routing.request().pause(); // no body is read before authentication
    HttpConnection connection = routing.request().connection();
    Future<Principal> admission =
        access.admit(routing.request(), connections.failedLogins(connection) > 0);
    boolean waits = !admission.isComplete();
    if (waits && unauthenticated >= options.maxInFlight()) {
      context.problem(
          InFlightLimit.refused(
              unauthenticated + " requests wait for the review of their tokens; try again"));
    }
    unauthenticated += waits ? 1 : 0;
    admission.onComplete((caller, failure) -> {
      unauthenticated -= waits ? 1 : 0;
      if (failure != null) {
        connections.loginFailed(connection);
        context.fail(failure);
      } else {
        connections.accepted(connection);
        admitted(routing, context, caller);
      }
    });
  }

  private void admitted(RoutingContext routing, RequestContext context, Principal caller) {
    if (context.answered()) {
      return;
    }
    context.admitted(caller);
    // Without authentication all requests are of one caller.
    String name = caller.equals(Principal.ANONYMOUS) ? null : caller.name();
    InFlightLimit.Place place = Objects.requireNonNull(routing.get(PLACE));
    Problem refused = place.take(name);
    if (refused != null) {
      context.problem(refused);
      return;
    }
    // In a slice of its own: one read of the connections may deliver many requests.
    slices.execute(() -> {
      if (!context.answered()) {
        routing.next();
      }
    });
  }

  /** Returns the context of a request, which is created by the first call. */
  RequestContext context(RoutingContext routing) {
    RequestContext present = routing.get(KEY);
    if (present != null) {
      return present;
    }
    String given = routing.request().getHeader("X-Request-Id");
    String id =
        given != null && REQUEST_ID.matcher(given).matches()
            ? given
            : HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    putHeaders(routing.response().headers(), id);
    InFlightLimit.Place place =
        (ApiPaths.isPeer(routing.request().path()) ? ofReplicas : ofClients).place();
    routing.put(PLACE, place);
    HttpConnection connection = routing.request().connection();
    connections.requested(connection);
    RequestContext context =
        new RequestContext(
            routing,
            id,
            audit,
            work,
            options.requestTimeout().toMillis(),
            place::free,
            () -> connections.answered(connection));
    routing.put(KEY, context);
    return context;
  }

  static void putHeaders(MultiMap headers, String requestId) {
    headers.set(REQUEST_ID_NAME, requestId);
    for (int i = 0; i < ALWAYS.size(); i += 2) {
      headers.set(ALWAYS.get(i), ALWAYS.get(i + 1));
    }
  }

  private static void checkAddress(HttpServerRequest request, boolean loopback) {
    List<String> hosts = hosts(request);
    if (hosts.size() > 1 || (hosts.isEmpty() && request.version() != HttpVersion.HTTP_1_0)) {
      throw Problem.invalid("invalid-host", "a request must have exactly one Host header")
          .rejection();
    }
    // A page whose host name resolves to 127.0.0.1 still sends that name (DNS rebinding). An API
    // for other machines has host names of its own, and requires a token.
    if (loopback && (hosts.isEmpty() || !Loopback.isLoopbackAuthority(hosts.getFirst()))) {
      throw Problem.of(
              421,
              "misdirected-request",
              "Misdirected request",
              "the Host header must be a loopback address: localhost, 127.0.0.1 or [::1]")
          .rejection();
    }
    String uri = request.uri();
    int query = uri.indexOf('?');
    if (!Paths.wellFormed(query < 0 ? uri : uri.substring(0, query))) {
      throw Problem.invalid(
              "invalid-path",
              "the path must be absolute, without empty or dot segments and without escaped"
                  + " slashes; use the id of an item, which needs no escapes")
          .rejection();
    }
    // vertx-web decodes the query while it matches paths, and would throw for an invalid one.
    Query.parse(query < 0 ? null : uri.substring(query + 1));
  }

  private static List<String> hosts(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      return request.headers().getAll("Host");
    }
    HostAndPort authority = request.authority();
    return authority == null ? List.of() : List.of(authority.toString());
  }
}
