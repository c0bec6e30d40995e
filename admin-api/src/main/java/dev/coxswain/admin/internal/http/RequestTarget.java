// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request is for: its method, path, variables and query, as they were sent or as they have been
 * rewritten. Confined to the admin event loop.
 */
public final class RequestTarget {

  /**
   * Another route that a request goes on as.
   *
   * @param below its path below the root
   * @param params the variable segments of the path, by name
   */
  public record Rerouted(HttpMethod method, String below, Map<String, String> params) {}

  private final RoutingContext routing;
  private @Nullable String query;
  private @Nullable Rerouted rerouted;

  RequestTarget(RoutingContext routing) {
    this.routing = routing;
  }

  /**
   * Goes on as a request for another route, in this process: its handlers find its method, path and
   * query. The caller checks the rights to that route.
   */
  public void reroute(Rerouted to, String newQuery) {
    rerouted = to;
    query = newQuery;
  }

  /** Returns whether the request goes on as one for another route. */
  public boolean isRerouted() {
    return rerouted != null;
  }

  /** Returns the method of the request, or of the route that it goes on as. */
  public HttpMethod method() {
    return rerouted == null ? routing.request().method() : rerouted.method();
  }

  /** Returns the query that other replicas receive with a change; empty for none. */
  public String queryForPeers() {
    String sent = routing.request().query();
    return rerouted != null || sent == null ? "" : sent;
  }

  /**
   * Returns a header that a change sends on to other replicas; null without it. A rerouted request has
   * a precondition of its own, which is stricter than If-Match.
   */
  public @Nullable String headerForPeers(String name) {
    if (rerouted == null || !name.equals("If-Match")) {
      return routing.request().getHeader(name);
    }
    return rerouted.below().startsWith("/controllers/") ? "*" : null; // others have no revision
  }

  String below() {
    String path = routing.request().path();
    return rerouted == null ? ApiPaths.below(path == null ? "/" : path) : rerouted.below();
  }

  String param(String name) {
    String value = rerouted == null ? routing.pathParam(name) : rerouted.params().get(name);
    return value == null ? "" : value;
  }

  String rawQuery() {
    String sent = routing.request().query();
    return query != null ? query : sent == null ? "" : sent;
  }

  void rewrite(String value) {
    query = value;
  }
}
