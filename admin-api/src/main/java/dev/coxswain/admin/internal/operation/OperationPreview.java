// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.RecordedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.admin.internal.value.SyncingValue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operation would do now.
 *
 * @param willRelist of a flush, how many items would be added again
 * @param byReplica the matching items of each replica
 * @param confirmToken confirms exactly this preview until {@code expiresAt}
 * @param isSyncing true when the controller may not have received all items; between replicas
 */
@RecordBuilder
public record OperationPreview(
    String kind,
    String controller,
    @JsonUnwrapped OperationResource.Request request,
    boolean dryRun,
    String result,
    long matched,
    @Nullable Long willRelist,
    @Nullable Long notRelisted,
    Map<String, Long> byPhase,
    Map<String, Long> byNamespace,
    List<String> sample,
    long asOfSeq,
    List<String> warnings,
    Map<String, Long> byReplica,
    String confirmToken,
    @Nullable Instant expiresAt,
    @JsonProperty("syncing") @Nullable Boolean isSyncing,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements MergedValue, RecordedValue, SyncingValue, OperationPreviewBuilder.With {

  @Override
  public String recorded() {
    return result;
  }

  @Override
  public OperationPreview marked(String self, boolean isPartial, List<ReplicaState> states) {
    return OperationPreviewBuilder.builder(this)
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
