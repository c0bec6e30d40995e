// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.value.SizedValue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A replica of the cluster.
 *
 * @param name its name in events; {@code replica} elsewhere
 * @param state how it answered, with its {@code error}
 * @param self whether it is the replica that responds
 * @param pool whether it is a member of the pool of shared limiters
 * @param slots how many slots it owns, with its {@code weight}; null without slots
 * @param epoch a text that is another one after a restart of the host
 */
@RecordBuilder
public record ReplicaResource(
    String kind,
    @Nullable String name,
    @Nullable String replica,
    @Nullable String state,
    @Nullable String error,
    @Nullable Boolean self,
    @Nullable String address,
    @Nullable Integer ordinal,
    @Nullable String generation,
    @Nullable Instant since,
    @Nullable Boolean pool,
    @Nullable Map<String, String> addresses,
    @Nullable Integer weight,
    @Nullable Boolean drained,
    @Nullable Boolean leaving,
    @Nullable Integer slots,
    @Nullable String epoch,
    @Nullable String version,
    @Nullable Instant startedAt,
    @Nullable List<ControllerResource.Condition> conditions,
    @Nullable List<Controller> controllers)
    implements SizedValue, ReplicaResourceBuilder.With {

  public static final String KIND = "Replica";

  static final Columns<ReplicaResource> COLUMNS =
      Columns.of(ReplicaResource::shownName)
          .name("NAME", "The name of the replica.", ReplicaResource::shownName)
          .text("STATE", "How it answered, and its conditions.", ReplicaResource::states)
          .integer("SLOTS", "How many slots it owns.", ReplicaResource::slots)
          .integer("LEASE", "The number of its Lease.", ReplicaResource::ordinal)
          .text("VERSION", "The version of its host.", ReplicaResource::version)
          .text("CONTROLLERS", "The controllers that it has.", ReplicaResource::controllerNames)
          .age("AGE", "The time since its start.", ReplicaResource::startedAt)
          .wide()
          .integer("WEIGHT", "Its share of the slots.", ReplicaResource::weight)
          .age("LEASE-AGE", "The time that it has held its Lease.", ReplicaResource::since)
          .text("GENERATION", "Its protocol between replicas.", ReplicaResource::generation)
          .text("ADDRESS", "The address of its admin API.", ReplicaResource::address)
          .text("ERROR", "Why it did not answer.", ReplicaResource::error)
          .build();

  private String shownName() {
    return replica != null ? replica : name != null ? name : "";
  }

  private String states() {
    List<String> states = new ArrayList<>();
    states.add(state == null ? "" : state);
    if (Boolean.TRUE.equals(drained)) {
      states.add("drained");
    }
    if (Boolean.TRUE.equals(leaving)) {
      states.add("leaving");
    }
    if (conditions != null) {
      conditions.forEach(condition -> states.add(condition.type()));
    }
    return String.join(",", states);
  }

  private @Nullable String controllerNames() {
    return controllers == null
        ? null
        : controllers.stream().map(Controller::name).collect(Collectors.joining(","));
  }

  @Override
  public int entries() {
    return 1 + (controllers == null ? 0 : controllers.size() / 4);
  }

  /** A controller of a replica; its ownership is null when it does not run. */
  public record Controller(String name, String state, @Nullable String ownership) {}
}
