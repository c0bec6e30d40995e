// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of audit records, the youngest first.
 *
 * @param run the run of the replica that the records are from; between replicas
 * @param next the position of the next page
 * @param historyProblem why stored records may be missing
 */
public record AuditList(
    String kind,
    @Nullable String replica,
    @Nullable String run,
    List<AuditResource> items,
    @JsonProperty("continue") @Nullable String next,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable String historyProblem)
    implements ListValue, TableValue {

  private static final String KIND = "AuditList";

  /** Creates the list of one replica. */
  public AuditList(String replica, String run, List<AuditResource> items, @Nullable String next) {
    this(KIND, replica, run, items, next, null, null, null);
  }

  /** Creates the list of all replicas. */
  public AuditList(List<AuditResource> items, @Nullable String next) {
    this(KIND, null, null, items, next, null, null, null);
  }

  @Override
  public AuditList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new AuditList(
        kind,
        replica == null ? self : replica,
        run,
        items,
        next,
        isPartial,
        states,
        historyProblem);
  }

  /** Returns it with why stored records may be missing; null for no problem. */
  public AuditList withStored(@Nullable String problem) {
    return problem == null
        ? this
        : new AuditList(kind, replica, run, items, next, true, replicas, problem);
  }

  @Override
  public TableResource table(TableRequest request) {
    return AuditResource.COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withNext(next)
        .withHistoryProblem(historyProblem);
  }
}
