// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cache;

import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The caches of one replica, or of all replicas, by name and replica. */
public record CacheList(
    String kind,
    String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    List<CacheResource> items)
    implements ListValue, TableValue {

  static CacheList of(String replica, List<CacheResource> items) {
    return new CacheList("CacheList", replica, null, null, items);
  }

  @Override
  public CacheList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new CacheList(kind, self, isPartial, states, items);
  }

  @Override
  public TableResource table(TableRequest request) {
    return CacheResource.COLUMNS.table(items, request).from(replica, partial, replicas);
  }
}
