// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.admin.internal.value.SyncingValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The controllers of a replica, or of all replicas, by name.
 *
 * @param partial whether a replica is missing; null in the list of one replica, as the next one
 */
public record ControllerList(
    String kind,
    @Nullable String replica,
    List<ControllerResource> items,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, SyncingValue, TableValue {

  /** Creates the list of one replica. */
  public ControllerList(String replica, List<ControllerResource> items) {
    this("ControllerList", replica, items, null, null);
  }

  @Override
  public ControllerList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new ControllerList(kind, replica == null ? self : replica, items, isPartial, states);
  }

  @Override
  public TableResource table(TableRequest request) {
    return ControllerResource.COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withWarnings(ControllerResource.warnings(items, request.now()));
  }

  @Override
  public @Nullable String syncing() {
    return items.stream().anyMatch(item -> item.syncing() != null) ? SOME : null;
  }
}
