// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.ControllerView;
import dev.coxswain.admin.internal.resource.Discovery;
import dev.coxswain.admin.internal.slot.SlotView;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.admin.spi.SlotDirectory.Owner;
import dev.coxswain.admin.spi.SlotDirectory.View;
import dev.coxswain.controller.ControllerHandle;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The replicas of the cluster with their controllers. Confined to the admin event loop. */
public final class ClusterReplicas {

  private final ControllerDirectory directory;
  private final Cluster cluster;
  private final Instant startedAt;
  private final String epoch = "%016x".formatted(new SecureRandom().nextLong());

  public ClusterReplicas(ControllerDirectory directory, Cluster cluster, Instant startedAt) {
    this.directory = directory;
    this.cluster = cluster;
    this.startedAt = startedAt;
  }

  /** Returns this replica, for another one. */
  public Future<Response> replica(RequestContext context) {
    context.query().done();
    return Future.succeededFuture(Response.ok(self()));
  }

  /** Returns all replicas. */
  public Future<Response> list(RequestContext context) {
    ClusterScope scope = ClusterScope.take(context);
    context.query().done();
    return cluster
        .getAll(context, scope, this::replica, "/replica", "")
        .map(answers -> Response.ok(list(answers)));
  }

  private ObjectNode list(List<PeerAnswer> answers) {
    ObjectNode json = Json.object().put("kind", "ReplicaList");
    Cluster.mark(json, cluster.self(), answers);
    Map<String, ReplicaInfo> infos = new HashMap<>();
    directory.replicas().forEach(replica -> infos.put(replica.name(), replica));
    View view = directory.slots().map(SlotDirectory::view).orElse(null);
    Map<Owner, Integer> counts = view == null ? Map.of() : SlotView.counts(view);
    ArrayNode items = json.putArray("items");
    answers.stream()
        .sorted(Comparator.comparing(PeerAnswer::replica))
        .forEach(answer -> items.add(view(answer, infos.get(answer.replica()), view, counts)));
    return json;
  }

  private ObjectNode view(
      PeerAnswer answer,
      @Nullable ReplicaInfo info,
      @Nullable View view,
      Map<Owner, Integer> counts) {
    ObjectNode json = Json.object().put("kind", "Replica");
    json.setAll(answer.toJson());
    json.put("self", answer.replica().equals(cluster.self()));
    if (info != null) {
      String address = info.addresses().get(Cluster.ADDRESS);
      if (address != null) {
        json.put("address", Json.clean(address));
      }
      json.put("ordinal", info.ordinal());
      json.put("generation", Json.clean(info.generation()));
      Json.putTime(json, "since", info.since());
      json.put("pool", info.pool());
      ObjectNode addresses = json.putObject("addresses");
      new TreeMap<>(info.addresses())
          .forEach((key, value) -> addresses.put(Json.clean(key), Json.clean(value)));
    }
    if (view != null) {
      SlotView.share(json, answer.replica(), view, counts);
    }
    if (answer.found()) {
      for (String field : List.of("epoch", "version", "startedAt", "conditions", "controllers")) {
        if (answer.json().has(field)) {
          json.set(field, answer.json().get(field));
        }
      }
    }
    return json;
  }

  private ObjectNode self() {
    ObjectNode json = Json.object().put("kind", "Replica").put("replica", directory.replica());
    json.put("epoch", epoch);
    json.put("version", Discovery.version());
    Json.putTime(json, "startedAt", startedAt);
    json.set("conditions", ControllerView.conditions(directory.conditions(), directory.replica()));
    TreeMap<String, ObjectNode> byName = new TreeMap<>();
    Snapshot all = directory.snapshot();
    for (FailedController failed : all.failed()) {
      byName.put(failed.name(), controller(failed.name(), "failed"));
    }
    for (ControllerHandle handle : all.running()) {
      ObjectNode shown = controller(handle.name(), handle.status().state().label());
      byName.put(handle.name(), shown.put("ownership", ControllerView.ownership(handle.options())));
    }
    ArrayNode controllers = json.putArray("controllers");
    byName.values().forEach(controllers::add);
    return json;
  }

  private static ObjectNode controller(String name, String state) {
    return Json.object().put("name", Json.clean(name)).put("state", state);
  }
}
