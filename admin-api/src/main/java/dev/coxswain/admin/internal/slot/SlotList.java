// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.model.SlotResource;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The slot map as this replica has read it, and what each replica does with its slots.
 *
 * @param function the function that computes the slot of an item
 * @param count how many slots there are
 * @param next the first slot of the next page
 * @param counts the slots by state
 */
@RecordBuilder
public record SlotList(
    String kind,
    String uid,
    String resourceVersion,
    String function,
    int count,
    @JsonProperty("continue") @Nullable String next,
    List<SlotResource> items,
    Map<String, Integer> counts,
    List<Share> shares,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, TableValue, SlotListBuilder.With {

  /**
   * What one replica has and does.
   *
   * @param live whether it holds a replica Lease; the next three are null otherwise
   * @param slots how many it owns, those of its earlier runs included
   * @param incoming how many move to it
   * @param phase null when it did not answer, as the rest
   */
  public record Share(
      String replica,
      boolean live,
      @Nullable Integer weight,
      @Nullable Boolean drained,
      @Nullable Boolean leaving,
      int slots,
      long incoming,
      @Nullable String phase,
      @Nullable String resourceVersion,
      @Nullable String problem,
      @Nullable Long open) {}

  /**
   * What one replica makes of the slot map.
   *
   * @param open how many slots are simply open
   * @param stages the other ones of its slots by stage
   */
  public record Own(
      String kind,
      String replica,
      String phase,
      String resourceVersion,
      @Nullable String problem,
      long open,
      Map<String, List<Integer>> stages) {}

  @Override
  public SlotList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return withReplica(self).withPartial(isPartial).withReplicas(states);
  }

  @Override
  public TableResource table(TableRequest request) {
    return SlotResource.COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withNext(next);
  }
}
