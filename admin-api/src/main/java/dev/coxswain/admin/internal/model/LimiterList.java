// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The limiters of a replica, or of all replicas, by name. */
public record LimiterList(
    String kind,
    @Nullable String replica,
    List<LimiterResource> items,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, TableValue {

  /** Creates the list of one replica. */
  public LimiterList(String replica, List<LimiterResource> items) {
    this("LimiterList", replica, items, null, null);
  }

  @Override
  public LimiterList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new LimiterList(kind, replica, items, isPartial, states);
  }

  @Override
  public TableResource table(TableRequest request) {
    return LimiterResource.COLUMNS.table(items, request).from(replica, partial, replicas);
  }
}
