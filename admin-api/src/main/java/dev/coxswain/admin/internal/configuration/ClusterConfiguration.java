// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.configuration;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.cluster.Cluster;
import dev.coxswain.admin.internal.cluster.ClusterScope;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.admin.spi.ControllerDirectory;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The configuration of each replica: it loads a file of its own. Confined to the admin event loop.
 */
public final class ClusterConfiguration {

  private final Cluster cluster;
  private final ControllerDirectory directory;

  public ClusterConfiguration(Cluster cluster, ControllerDirectory directory) {
    this.cluster = cluster;
    this.directory = directory;
  }

  /** Returns the configuration of each replica. */
  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    return cluster
        .getAll(context, scope, this::own, context.below(), context.rawQuery())
        .map(answers -> Response.ok(list(answers)));
  }

  /** Returns the list with the configuration of this replica only. */
  public Future<Response> own(RequestContext context) {
    context.query().done();
    ObjectNode json = Json.object().put("kind", "ConfigurationList");
    json.put("replica", directory.replica());
    ArrayNode items = json.putArray("items");
    directory.configuration().ifPresent(status -> items.add(view(status)));
    return Future.succeededFuture(Response.ok(json));
  }

  private ObjectNode list(List<PeerAnswer> answers) {
    ObjectNode json = Json.object().put("kind", "ConfigurationList");
    List<PeerAnswer> found = new ArrayList<>(Cluster.found(answers));
    found.sort(Comparator.comparing(PeerAnswer::replica));
    Cluster.mark(json, cluster.self(), answers);
    ArrayNode items = json.putArray("items");
    found.forEach(answer -> answer.json().path("items").forEach(items::add));
    return json;
  }

  private ObjectNode view(ConfigurationStatus status) {
    ObjectNode json = Json.object().put("kind", "Configuration");
    json.put("replica", directory.replica());
    json.put("file", Json.clean(status.file()));
    json.put("state", status.state());
    Json.putTime(json, "loadedAt", status.loadedAt());
    put(json, "changed", status.changed());
    put(json, "needsRestart", status.restart());
    put(json, "settling", status.settling());
    put(json, "errors", status.errors());
    if (status.rejectedAt() != null) {
      Json.putTime(json, "rejectedAt", status.rejectedAt());
    }
    return json.put("reloads", status.reloads()).put("rejections", status.rejections());
  }

  private static void put(ObjectNode json, String field, List<String> values) {
    ArrayNode array = json.putArray(field);
    values.forEach(value -> array.add(Json.clean(value)));
  }
}
