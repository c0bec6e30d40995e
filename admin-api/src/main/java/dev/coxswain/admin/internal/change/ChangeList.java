// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.history.AuditList;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of changes, the youngest first.
 *
 * @param next the position of the next page
 * @param historyProblem why stored records may be missing
 */
public record ChangeList(
    String kind,
    @Nullable String replica,
    List<ChangeRecord> items,
    @JsonProperty("continue") @Nullable String next,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable String historyProblem)
    implements ListValue, TableValue {

  private static final String KIND = "ChangeList";

  /** Returns a page with what the audit has about the replicas. */
  static ChangeList of(
      List<ChangeRecord> items, @Nullable String next, AuditList audit, boolean partial) {
    return new ChangeList(
        KIND,
        audit.replica(),
        items,
        next,
        partial || Boolean.TRUE.equals(audit.partial()),
        audit.replicas(),
        audit.historyProblem());
  }

  @Override
  public ChangeList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new ChangeList(kind, self, items, next, isPartial, states, historyProblem);
  }

  @Override
  public TableResource table(TableRequest request) {
    return ChangeRecord.COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withNext(next)
        .withHistoryProblem(historyProblem);
  }
}
