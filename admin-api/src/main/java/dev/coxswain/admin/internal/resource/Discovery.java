// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.spi.ControllerDirectory;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The version, the caller and the routes of this API. Confined to the admin event loop. */
public final class Discovery {

  private final ControllerDirectory directory;
  private final AccessHandler gate;
  private final Map<String, String> links;

  /**
   * Creates it.
   *
   * @param links the templates of links of attempts, by name
   */
  public Discovery(ControllerDirectory directory, AccessHandler gate, Map<String, String> links) {
    this.links = links;
    this.directory = directory;
    this.gate = gate;
  }

  public Future<Response> get(RequestContext context, List<Endpoint> table) {
    context.query().done();
    ObjectNode json = Json.object();
    json.put("kind", "Discovery");
    json.put("name", "coxswain");
    json.put("version", version());
    json.put("apiVersion", "v1");
    json.put("replica", directory.replica());
    json.put("authentication", gate.control().mode());
    json.put("access", gate.control().ceiling().label());
    ObjectNode caller = json.putObject("principal");
    caller.put("name", Json.clean(context.principal().name()));
    var groups = caller.putArray("groups");
    context.principal().groups().forEach(group -> groups.add(Json.clean(group)));
    ObjectNode templates = json.putObject("links");
    new TreeMap<>(links).forEach(templates::put);
    var routes = json.putArray("routes");
    table.forEach(endpoint -> route(routes.addObject(), endpoint));
    return Future.succeededFuture(Response.ok(json));
  }

  public static String version() {
    String version = Discovery.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  private static void route(ObjectNode json, Endpoint endpoint) {
    json.put("method", endpoint.method().name()).put("path", endpoint.path());
    Access access = endpoint.access();
    if (!access.isForAnyCaller()) {
      json.put("resource", access.resource());
      var verbs = json.putArray("verbs");
      access.verbs().forEach(verb -> verbs.add(verb.label()));
      json.put("namespace", access.scope().label());
    }
  }
}
