// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.ItemFilters;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists the rights of a caller, so that a client offers only permitted actions. The rights are
 * checked one after another, as those of a request are, so that one caller does not use up the
 * reviews of others. Confined to the admin event loop.
 */
public final class Rights {

  private record Right(String resource, Verb verb) {}

  private final AccessHandler gate;
  private final List<Right> all;

  public Rights(AccessHandler gate, List<Endpoint> table) {
    this.gate = gate;
    this.all =
        table.stream()
            .map(Endpoint::access)
            .filter(access -> !access.isForAnyCaller())
            .flatMap(
                access -> access.verbs().stream().map(verb -> new Right(access.resource(), verb)))
            .distinct()
            .toList();
  }

  public Future<Response> list(RequestContext context) {
    Query query = context.query();
    String controller = orAll(query.text("controller", ItemFilters.MAX_NAME));
    String namespace = orAll(query.text("namespace", ItemFilters.MAX_NAME));
    String limiter = orAll(query.text("limiter", ItemFilters.MAX_NAME));
    query.done();
    ObjectNode json = Json.object();
    json.put("kind", "RightList");
    json.put("controller", Json.clean(controller));
    json.put("namespace", Json.clean(namespace));
    json.put("limiter", Json.clean(limiter));
    ArrayNode items = json.putArray("items");
    Future<Void> checks = Future.succeededFuture();
    for (Right right : all) {
      checks =
          checks
              .compose(
                  done -> may(context.principal(), wanted(right, controller, namespace, limiter)))
              .map(allowed -> {
                items
                    .addObject()
                    .put("resource", right.resource())
                    .put("verb", right.verb().label())
                    .put("allowed", allowed);
                return null;
              });
    }
    return checks.map(done -> Response.ok(json));
  }

  /** Rights to controllers and limiters can have a name; the others have none. */
  private static AccessRequest wanted(
      Right right, String controller, String namespace, String limiter) {
    String resource = right.resource();
    String name = "";
    if (resource.startsWith(Access.CONTROLLERS)) {
      name = controller;
    } else if (resource.equals(Access.LIMITERS)) {
      name = limiter;
    }
    boolean spaced = resource.equals(Access.ITEMS) || resource.equals(Access.OPERATIONS);
    return new AccessRequest(right.verb(), resource, spaced ? namespace : "", name);
  }

  private Future<Boolean> may(Principal principal, AccessRequest wanted) {
    return gate.permit(principal, wanted)
        .map(true)
        .recover(failure ->
            failure instanceof Rejection rejection && rejection.problem().status() == 403
                ? Future.succeededFuture(false)
                : Future.failedFuture(failure));
  }

  private static String orAll(@Nullable String value) {
    return value == null ? "" : value;
  }
}
