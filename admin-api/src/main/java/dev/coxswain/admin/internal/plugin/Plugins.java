// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.plugin;

import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ChangeResource;
import dev.coxswain.admin.internal.model.PluginResource;
import dev.coxswain.admin.internal.model.PluginResourceBuilder;
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
import java.util.Map;
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
    Optional<PluginDirectory> plugins = directory.plugins();
    return Future.succeededFuture(
        Response.ok(
            PluginList.of(
                directory.replica(),
                plugins.isPresent(),
                plugins
                    .map(PluginDirectory::problem)
                    .filter(problem -> !problem.isEmpty())
                    .orElse(null),
                plugins.stream().flatMap(all -> all.plugins().stream()).map(this::view).toList())));
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
    return Json.text(Map.of("plugin", Json.line(context.param("p"), 128)));
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
    Optional<Plugin> plugin = named(context);
    return Response.ok(
        ChangeResource.of("PluginResult", begun.result() == Result.APPLIED)
            .plugin(context.param("p"))
            .action(action.label())
            .ended(begun.ended().isComplete())
            .phase(plugin.map(one -> one.phase().label()).orElse(null))
            .error(plugin.map(Plugin::error).orElse(null))
            .build());
  }

  private PluginResource find(RequestContext context) {
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

  private PluginResource view(Plugin plugin) {
    return PluginResourceBuilder.builder()
        .kind(PluginResource.KIND)
        .name(plugin.name())
        .replica(directory.replica())
        .phase(plugin.phase().label())
        .error(plugin.error())
        .since(plugin.since())
        .controllers(List.copyOf(plugin.controllers()))
        .digest(plugin.digest())
        .deployedAt(plugin.deployedAt())
        .deployments(plugin.deployments())
        .build();
  }
}
