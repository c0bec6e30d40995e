// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.CopiedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plug-in of one replica.
 *
 * @param phase such as {@code running} or {@code failed}
 * @param error why it has failed; empty otherwise
 * @param deployments how often it was deployed
 * @param copies the same plug-in of other replicas
 */
@RecordBuilder
public record PluginResource(
    String kind,
    String name,
    String replica,
    String phase,
    String error,
    @Nullable Instant since,
    List<String> controllers,
    @Nullable String digest,
    @Nullable Instant deployedAt,
    long deployments,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable List<PluginResource> copies)
    implements CopiedValue<PluginResource>, TableValue, PluginResourceBuilder.With {

  public static final String KIND = "Plugin";

  public static final Columns<PluginResource> COLUMNS =
      Columns.of(PluginResource::name)
          .name("NAME", "The name of the plug-in.", PluginResource::name)
          .text("REPLICA", "The replica that has it.", PluginResource::replica)
          .text("PHASE", "Its phase.", PluginResource::phase)
          .text("CONTROLLERS", "Its controllers.", one -> String.join(",", one.controllers()))
          .age("AGE", "The time in its phase.", PluginResource::since)
          .message("ERROR", "Why it has failed.", PluginResource::error)
          .wide()
          .integer("DEPLOYMENTS", "How often it was deployed.", PluginResource::deployments)
          .text("DIGEST", "The digest of its files.", PluginResource::digest)
          .build();

  @Override
  public PluginResource at(String self) {
    return withReplica(self);
  }

  @Override
  public PluginResource and(List<PluginResource> others) {
    return withCopies(others);
  }

  @Override
  public PluginResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return withPartial(isPartial).withReplicas(states);
  }

  @Override
  public TableResource table(TableRequest request) {
    return COLUMNS.table(this, request).from(replica, partial, replicas);
  }
}
