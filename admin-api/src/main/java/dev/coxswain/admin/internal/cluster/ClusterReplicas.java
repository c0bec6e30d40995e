// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.model.ReplicaList;
import dev.coxswain.admin.internal.model.ReplicaResource;
import dev.coxswain.admin.internal.model.ReplicaResourceBuilder;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.resource.ControllerView;
import dev.coxswain.admin.internal.resource.Discovery;
import dev.coxswain.admin.internal.slot.SlotView;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
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
        .getAll(context, scope, this::replica, "/replica", "", ReplicaResource.class)
        .map(answers -> Response.ok(list(answers)));
  }

  private MergedValue list(List<PeerAnswer> answers) {
    Map<String, ReplicaInfo> infos = new HashMap<>();
    directory.replicas().forEach(replica -> infos.put(replica.name(), replica));
    View view = directory.slots().map(SlotDirectory::view).orElse(null);
    Map<Owner, Integer> counts = view == null ? Map.of() : SlotView.counts(view);
    return Cluster.marked(
        new ReplicaList(
            cluster.self(),
            answers.stream()
                .sorted(Comparator.comparing(PeerAnswer::replica))
                .map(answer -> view(answer, infos.get(answer.replica()), view, counts))
                .toList()),
        cluster.self(),
        answers);
  }

  private ReplicaResource view(
      PeerAnswer answer,
      @Nullable ReplicaInfo info,
      @Nullable View view,
      Map<Owner, Integer> counts) {
    ReplicaState state = answer.shown();
    ReplicaResourceBuilder shown =
        ReplicaResourceBuilder.builder()
            .kind(ReplicaResource.KIND)
            .replica(state.replica())
            .state(state.state())
            .error(state.error())
            .self(answer.replica().equals(cluster.self()));
    if (info != null) {
      shown
          .address(info.addresses().get(Cluster.ADDRESS))
          .ordinal(info.ordinal())
          .generation(info.generation())
          .since(info.since())
          .pool(info.pool())
          .addresses(new TreeMap<>(info.addresses()));
    }
    if (view != null) {
      view.share(answer.replica())
          .ifPresent(share ->
              shown
                  .weight(share.weight())
                  .drained(share.drained())
                  .leaving(share.leaving())
                  .slots(counts.getOrDefault(new Owner(answer.replica(), share.identity()), 0)));
    }
    if (answer.found()) {
      ReplicaResource own = answer.as(ReplicaResource.class);
      shown
          .epoch(own.epoch())
          .version(own.version())
          .startedAt(own.startedAt())
          .conditions(own.conditions())
          .controllers(own.controllers());
    }
    return shown.build();
  }

  private ReplicaResource self() {
    TreeMap<String, ReplicaResource.Controller> byName = new TreeMap<>();
    Snapshot all = directory.snapshot();
    for (FailedController failed : all.failed()) {
      byName.put(failed.name(), new ReplicaResource.Controller(failed.name(), "failed", null));
    }
    for (ControllerHandle handle : all.running()) {
      byName.put(
          handle.name(),
          new ReplicaResource.Controller(
              handle.name(),
              handle.status().state().label(),
              ControllerView.ownership(handle.options())));
    }
    return ReplicaResourceBuilder.builder()
        .kind(ReplicaResource.KIND)
        .replica(directory.replica())
        .epoch(epoch)
        .version(Discovery.version())
        .startedAt(startedAt)
        .conditions(ControllerView.conditions(directory.conditions(), directory.replica()))
        .controllers(List.copyOf(byName.values()))
        .build();
  }
}
