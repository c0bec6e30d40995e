// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.cluster.ClusterWrites;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.Audits;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The plug-ins of all replicas. Each replica loads its own folder, so a plug-in is listed for each of
 * them. Confined to the admin event loop.
 */
public final class ClusterPlugins {

  private final Cluster cluster;
  private final Plugins local;

  public ClusterPlugins(Cluster cluster, Plugins local) {
    this.cluster = cluster;
    this.local = local;
  }

  public Future<Response> list(RequestContext context) {
    return getAll(context, local::list).map(answers -> Response.ok(list(answers)));
  }

  /** Returns a plug-in of the first replica that has it, with those of the others as copies. */
  public Future<Response> get(RequestContext context) {
    return getAll(context, local::get)
        .map(answers -> {
          List<PeerAnswer> found = new ArrayList<>(Cluster.found(answers));
          found.sort(Comparator.comparing(PeerAnswer::replica));
          ObjectNode json = found.getFirst().json();
          ArrayNode copies = json.putArray("copies");
          found.stream().skip(1).forEach(answer -> copies.add(answer.json().deepCopy()));
          return Response.ok(Cluster.mark(json, cluster.self(), answers));
        });
  }

  /** Returns the handler of an action on every replica that has the plug-in. */
  public Endpoint.Handler begin(ClusterWrites writes, Action action) {
    Endpoint.Handler change = writes.everywhere(local::get, local.begin(action));
    return context -> {
      // Recorded here, too, when only other replicas make the change.
      context.audit().action(Audits.actionName(action));
      context.audit().change(Plugins.noted(context));
      return change.handle(context);
    };
  }

  private Future<List<PeerAnswer>> getAll(RequestContext context, Endpoint.Handler own) {
    ClusterScope scope = ClusterScope.take(context);
    return cluster.getAll(context, scope, own, context.below(), context.rawQuery());
  }

  private ObjectNode list(List<PeerAnswer> answers) {
    ObjectNode json = Json.object().put("kind", "PluginList");
    List<ObjectNode> items = new ArrayList<>();
    List<PeerAnswer> found = new ArrayList<>(Cluster.found(answers));
    found.sort(Comparator.comparing(PeerAnswer::replica));
    Cluster.mark(json, cluster.self(), answers);
    ArrayNode folders = json.putArray("folders");
    for (PeerAnswer answer : found) {
      ObjectNode folder = folders.addObject().put("replica", Json.clean(answer.replica()));
      folder.put("enabled", answer.json().path("enabled").asBoolean());
      folder.put("problem", answer.json().path("problem").asText());
      for (JsonNode item : answer.json().path("items")) {
        if (item instanceof ObjectNode plugin) {
          items.add(plugin);
        }
      }
    }
    // The sort is stable: the replicas of each plug-in keep their order.
    items.sort(Comparator.comparing(item -> item.path("name").asText()));
    json.putArray("items").addAll(items);
    return json;
  }
}
