// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.plugin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.PluginDirectory;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import dev.coxswain.admin.spi.PluginDirectory.Begun;
import dev.coxswain.admin.spi.PluginDirectory.Plugin;
import dev.coxswain.admin.spi.PluginDirectory.Result;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The plug-ins of this replica. Confined to the admin event loop. */
public final class Plugins {

  /** The time for which the response of an action waits for its end. */
  private static final Duration WAIT = Duration.ofSeconds(2);

  private final ControllerDirectory directory;

  public Plugins(ControllerDirectory directory) {
    this.directory = directory;
  }

  public Future<Response> list(RequestContext context) {
    context.query().done();
    ObjectNode json = Json.object().put("kind", "PluginList");
    json.put("replica", directory.replica());
    Optional<PluginDirectory> plugins = directory.plugins();
    json.put("enabled", plugins.isPresent());
    plugins
        .map(PluginDirectory::problem)
        .filter(problem -> !problem.isEmpty())
        .ifPresent(problem -> json.put("problem", Json.clean(problem)));
    ArrayNode items = json.putArray("items");
    plugins.ifPresent(all -> all.plugins().forEach(plugin -> items.add(view(plugin))));
    return Future.succeededFuture(Response.ok(json));
  }

  public Future<Response> get(RequestContext context) {
    context.query().done();
    return Future.succeededFuture(Response.ok(find(context)));
  }

  /** Returns the handler of an action. */
  public Endpoint.Handler begin(Action action) {
    return context -> {
      context.audit().action(Audits.actionName(action));
      context.query().done();
      Body body = context.body();
      String reason = body.reason();
      body.done();
      find(context);
      context.audit().reason(reason);
      context.audit().change(noted(context));
      return context
          .change(() -> begun(context, action))
          .map(begun -> response(context, action, begun));
    };
  }

  /** Returns the change as audit records have it. */
  public static String noted(RequestContext context) {
    return Json.object().put("plugin", Json.line(context.param("p"), 128)).toString();
  }

  private Future<Begun> begun(RequestContext context, Action action) {
    String name = context.param("p");
    Begun begun =
        directory
            .plugins()
            .flatMap(plugins -> plugins.begin(name, action))
            .orElseThrow(() -> notFound(context));
    if (begun.result() == Result.BUSY) {
      return Future.failedFuture(
          Problem.of(
                  409,
                  "plugin-busy",
                  "Plug-in busy",
                  "another action of plug-in \""
                      + Json.line(name, 64)
                      + "\" is under way, or the host stops; nothing was changed")
              .rejection());
    }
    return begun
        .ended()
        .timeout(WAIT.toMillis(), TimeUnit.MILLISECONDS)
        .transform(_ -> Future.succeededFuture(begun));
  }

  private Response response(RequestContext context, Action action, Begun begun) {
    ObjectNode json = Json.object().put("kind", "PluginResult");
    json.put("plugin", Json.clean(context.param("p")));
    json.put("action", action.label());
    json.put("result", begun.result() == Result.APPLIED ? "applied" : "skipped");
    json.put("ended", begun.ended().isComplete());
    named(context)
        .ifPresent(plugin -> {
          json.put("phase", plugin.phase().label());
          json.put("error", Json.clean(plugin.error()));
        });
    return Response.ok(json);
  }

  private ObjectNode find(RequestContext context) {
    return view(named(context).orElseThrow(() -> notFound(context)));
  }

  private Optional<Plugin> named(RequestContext context) {
    return directory.plugins().flatMap(plugins -> plugins.find(context.param("p")));
  }

  private static Rejection notFound(RequestContext context) {
    return Problem.of(
            404,
            "plugin-not-found",
            "Plug-in not found",
            "no replica that answered has a plug-in \""
                + Json.line(context.param("p"), 64)
                + "\"; GET /api/v1/plugins lists all plug-ins")
        .rejection();
  }

  private ObjectNode view(Plugin plugin) {
    ObjectNode json = Json.object().put("kind", "Plugin").put("name", Json.clean(plugin.name()));
    json.put("replica", directory.replica());
    json.put("phase", plugin.phase().label());
    json.put("error", Json.clean(plugin.error()));
    Json.putTime(json, "since", plugin.since());
    List<String> names = plugin.controllers();
    ArrayNode controllers = json.putArray("controllers");
    names.forEach(name -> controllers.add(Json.clean(name)));
    json.put("digest", plugin.digest());
    if (plugin.deployedAt() != null) {
      Json.putTime(json, "deployedAt", plugin.deployedAt());
    }
    return json.put("deployments", plugin.deployments());
  }
}
