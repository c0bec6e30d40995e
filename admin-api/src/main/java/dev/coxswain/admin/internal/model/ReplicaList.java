// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The replicas of the cluster. */
public record ReplicaList(
    String kind,
    String replica,
    List<ReplicaResource> items,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, TableValue {

  /** Creates the list as one replica has it. */
  public ReplicaList(String replica, List<ReplicaResource> items) {
    this("ReplicaList", replica, items, null, null);
  }

  @Override
  public ReplicaList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new ReplicaList(kind, replica, items, isPartial, states);
  }

  @Override
  public TableResource table(TableRequest request) {
    return ReplicaResource.COLUMNS.table(items, request).from(replica, partial, replicas);
  }
}
