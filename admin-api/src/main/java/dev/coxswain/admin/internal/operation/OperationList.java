// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one replica, or of all replicas.
 *
 * @param historyProblem why stored operations may be missing
 */
public record OperationList(
    String kind,
    String replica,
    List<OperationResource> items,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable String historyProblem)
    implements ListValue, TableValue {

  /** Creates the list of one replica. */
  public OperationList(String replica, List<OperationResource> items) {
    this("OperationList", replica, items, null, null, null);
  }

  @Override
  public OperationList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new OperationList(kind, replica, items, isPartial, states, historyProblem);
  }

  /** Returns it with why stored operations may be missing; null for no problem. */
  public OperationList withStored(@Nullable String problem) {
    return problem == null
        ? this
        : new OperationList(kind, replica, items, true, replicas, problem);
  }

  @Override
  public TableResource table(TableRequest request) {
    return OperationResource.COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withHistoryProblem(historyProblem);
  }
}
