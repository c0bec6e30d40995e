// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.admin.internal.value.SyncingValue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of items.
 *
 * @param run the run of the controller that the page is from; between replicas
 * @param asOfSeq the number of the youngest item when the page was made, on one replica
 * @param asOf the same, for each replica of the page
 * @param isSyncing true when the controller may not have received all items; between replicas
 * @param withheld true when the items do not fit into one page, and none were requested otherwise
 * @param moved true when slots have moved since the first page
 * @param next the position of the next page
 */
@RecordBuilder
public record ItemList(
    String kind,
    String controller,
    @Nullable String run,
    @Nullable Long asOfSeq,
    @JsonProperty("syncing") @Nullable Boolean isSyncing,
    @Nullable Boolean withheld,
    @Nullable Boolean moved,
    @JsonProperty("continue") @Nullable String next,
    List<ItemResource> items,
    @Nullable List<AsOf> asOf,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, SyncingValue, TableValue, ItemListBuilder.With {

  public static final String KIND = "ItemList";

  /** The number of the youngest item of a replica. */
  public record AsOf(String replica, @Nullable Long asOfSeq) {}

  @Override
  public ItemList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return ItemListBuilder.builder(this)
        .isSyncing(null)
        .replica(replica == null ? self : replica)
        .partial(isPartial)
        .replicas(states)
        .build();
  }

  @Override
  public TableResource table(TableRequest request) {
    Columns<ItemResource> columns =
        asOf != null && asOf.size() > 1
            ? ItemResource.COLUMNS.showing(ItemResource.REPLICA)
            : ItemResource.COLUMNS;
    return columns.table(items, request).from(replica, partial, replicas).withNext(next);
  }

  @Override
  public @Nullable String syncing() {
    return Boolean.TRUE.equals(isSyncing) ? WHY : null;
  }
}
