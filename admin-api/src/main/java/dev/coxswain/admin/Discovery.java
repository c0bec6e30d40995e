// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.util.List;

/** Tells who answers, who asks, and which routes there are. Confined to the admin event loop. */
final class Discovery {

  private final ControllerDirectory directory;
  private final Gatekeeper gate;

  Discovery(ControllerDirectory directory, Gatekeeper gate) {
    this.directory = directory;
    this.gate = gate;
  }

  Future<Reply> get(Exchange exchange, List<Endpoint> table) {
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
    String version = Discovery.class.getPackage().getImplementationVersion();
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
