// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.attempt.AttemptResource;
import dev.coxswain.admin.internal.value.CopiedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.admin.internal.value.SyncingValue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why an item is not being reconciled now.
 *
 * @param position its place among {@code of} items that are started before it
 * @param endedAt when an item that is not in the queue any more was last there
 * @param attempts how its last attempts ended, the newest first
 * @param slot the slot that decides which replica works on it
 * @param isSyncing true when the controller may not have received the item yet; between replicas
 */
@RecordBuilder
public record ExplanationResource(
    String kind,
    String controller,
    String id,
    ItemResource.Key key,
    String reason,
    String message,
    @Nullable Integer position,
    @Nullable Integer of,
    @Nullable Instant expectedStart,
    @Nullable Instant endedAt,
    @Nullable String endedBy,
    List<String> conditions,
    List<AttemptResource> attempts,
    @Nullable ItemResource item,
    @Nullable SlotResource slot,
    @JsonProperty("syncing") @Nullable Boolean isSyncing,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable List<ExplanationResource> copies)
    implements CopiedValue<ExplanationResource>, SyncingValue, ExplanationResourceBuilder.With {

  @Override
  public ExplanationResource at(String name) {
    return withReplica(name);
  }

  @Override
  public ExplanationResource and(List<ExplanationResource> others) {
    return withCopies(others);
  }

  @Override
  public ExplanationResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return ExplanationResourceBuilder.builder(this)
        .isSyncing(null)
        .replica(replica == null ? self : replica)
        .partial(isPartial)
        .replicas(states)
        .build();
  }

  @Override
  public @Nullable String syncing() {
    return Boolean.TRUE.equals(isSyncing) ? WHY : null;
  }
}
