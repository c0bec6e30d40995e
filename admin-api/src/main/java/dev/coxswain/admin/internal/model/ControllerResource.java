// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.admin.internal.value.SyncingValue;
import dev.coxswain.view.ControllerStatus;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A controller on one replica, or merged from several.
 *
 * @param state such as {@code running}, {@code failed}, {@code unowned}
 * @param counts the items by phase; null for a controller that does not run, as all other counts
 * @param rev the revision of its settings, for If-Match
 * @param runningReplicas on how many replicas it runs; null on one replica, as {@code parts}
 * @param attempts how often its start has failed
 * @param since since when this replica observes the owner of a controller that it does not run
 * @param owned whether another replica holds its Lease; null for a controller that this replica runs
 * @param result the outcome of a change, as {@code detail} and {@code results}
 */
@RecordBuilder
public record ControllerResource(
    String kind,
    String name,
    String replica,
    String state,
    @Nullable String error,
    @Nullable String ownership,
    @Nullable Boolean paused,
    @Nullable Pause pause,
    @Nullable Map<String, Long> counts,
    @Nullable Long total,
    @Nullable Long failing,
    @Nullable Long terminalEvicted,
    @Nullable Long dirty,
    @Nullable Long overdue,
    @Nullable Integer maxConcurrent,
    @Nullable Long activeWorkers,
    @Nullable Double oldestReadySeconds,
    @Nullable Double longestInFlightSeconds,
    @Nullable Instant nextReadyAt,
    @Nullable Map<String, Long> totals,
    @Nullable List<Source> sources,
    @Nullable List<Condition> conditions,
    @Nullable Settings options,
    @Nullable Long asOfSeq,
    @Nullable Instant startedAt,
    @Nullable Instant asOf,
    @Nullable Throughput throughput,
    @Nullable SlotResource slot,
    @Nullable String rev,
    @Nullable Integer attempts,
    @Nullable Instant failedAt,
    @Nullable Instant nextAttemptAt,
    @Nullable Instant since,
    @Nullable String lastOwner,
    @Nullable Boolean owned,
    @Nullable Integer runningReplicas,
    @Nullable List<Part> parts,
    @Nullable String result,
    @Nullable String detail,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable List<ChangeResult> results)
    implements MergedValue, SyncingValue, ChangedValue, ControllerResourceBuilder.With {

  public static final String KIND = "Controller";

  /** A stop of new attempts. */
  public record Pause(String reason, @Nullable Instant since, @Nullable Instant until) {}

  /**
   * A source of items.
   *
   * @param addedAs the name of a source that was added at run time
   */
  public record Source(
      String description, boolean synced, @Nullable String addedAs, @Nullable String problem) {}

  /** Something that an operator should know; with its replica, so that lists can be merged. */
  public record Condition(
      String type, @Nullable Instant since, String message, @Nullable String replica) {}

  /** The options that it was started with. */
  public record Settings(
      String limiter,
      String composition,
      String ownership,
      boolean fairFlows,
      String reconcileTimeout,
      String failureCooldown,
      String agingStep,
      String syncTimeout,
      String threads) {}

  /** The completed attempts per second over three windows; null while there is no sample. */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Throughput(
      @JsonProperty("1m") @Nullable Double minute,
      @JsonProperty("5m") @Nullable Double fiveMinutes,
      @JsonProperty("1h") @Nullable Double hour) {}

  /** What one replica contributes. */
  public record Part(
      String replica,
      String state,
      @Nullable String error,
      @Nullable Instant since,
      @Nullable Boolean paused,
      @Nullable Map<String, Long> counts,
      @Nullable Long total,
      @Nullable Long failing,
      @Nullable Integer maxConcurrent,
      @Nullable Long activeWorkers,
      @Nullable Long asOfSeq,
      @Nullable Instant asOf) {}

  /** Starts a controller with what each one has. */
  public static ControllerResourceBuilder named(String name, String replica, String state) {
    return ControllerResourceBuilder.builder().kind(KIND).name(name).replica(replica).state(state);
  }

  /** Returns whether this is the controller of a replica that does not run it. */
  @JsonIgnore
  public boolean isIdle() {
    return owned != null;
  }

  /** Returns whether it runs, perhaps on another replica. */
  @JsonIgnore
  public boolean isRunning() {
    return counts != null;
  }

  /** Returns what this replica contributes to the merged controller. */
  public Part part() {
    return new Part(
        replica,
        state,
        error,
        since,
        paused,
        counts,
        total,
        failing,
        maxConcurrent,
        activeWorkers,
        asOfSeq,
        asOf);
  }

  @Override
  public int entries() {
    return parts == null ? 3 : 3 + parts.size();
  }

  @Override
  public ControllerResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return withPartial(isPartial).withReplicas(states);
  }

  @Override
  public ControllerResource outcome(String value, @Nullable String why) {
    return withResult(value).withDetail(why);
  }

  @Override
  public ControllerResource on(String self, boolean isPartial, List<ChangeResult> all) {
    return withReplica(self).withPartial(isPartial).withResults(all);
  }

  @Override
  public @Nullable String syncing() {
    return state.equals(ControllerStatus.State.SYNCING.label()) ? WHY : null;
  }
}
