// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limiter on one replica, or merged from several.
 *
 * @param mode such as {@code hazelcast}
 * @param source {@code config} or {@code override}
 * @param refillPerSecond null for no limit
 * @param floor the share of this replica that works without Hazelcast
 * @param replicas the counts of each replica, with its state in a merged limiter
 * @param parts what each replica contributes
 * @param replica the replica that made a change
 */
@RecordBuilder
public record LimiterResource(
    String kind,
    String name,
    String mode,
    String source,
    @Nullable Instant expiresAt,
    long capacity,
    @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double refillPerSecond,
    @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double tokens,
    long waiters,
    long granted,
    long denied,
    boolean degraded,
    @Nullable String degradedReason,
    @Nullable Floor floor,
    List<Share> replicas,
    List<String> consumers,
    @Nullable List<Part> parts,
    @Nullable String result,
    @Nullable String detail,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ChangeResult> results)
    implements MergedValue, ChangedValue, LimiterResourceBuilder.With {

  public static final String KIND = "Limiter";

  /** The share of a replica that works without Hazelcast. */
  public record Floor(
      long capacity,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double refillPerSecond,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double tokens,
      long granted) {}

  /**
   * A replica that shares the limiter.
   *
   * @param waiters null for a replica without counts
   * @param replica its name again, with its state, in a merged limiter
   */
  public record Share(
      String name,
      @Nullable Long waiters,
      @Nullable Long granted,
      @Nullable String replica,
      @Nullable String state,
      @Nullable String error) {}

  /** What one replica contributes. */
  public record Part(
      String replica,
      String mode,
      long capacity,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double refillPerSecond,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Double tokens,
      long waiters,
      long granted,
      long denied,
      @Nullable Floor floor,
      boolean degraded,
      @Nullable String degradedReason,
      List<String> consumers) {}

  @Override
  public LimiterResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return withReplica(replica == null ? self : replica).withPartial(isPartial);
  }

  @Override
  public int entries() {
    return 1 + replicas.size() / 3 + (parts == null ? 0 : parts.size());
  }

  @Override
  public LimiterResource outcome(String value, @Nullable String why) {
    return withResult(value).withDetail(why);
  }

  @Override
  public LimiterResource on(String self, boolean isPartial, List<ChangeResult> all) {
    return withReplica(self).withPartial(isPartial).withResults(all);
  }
}
