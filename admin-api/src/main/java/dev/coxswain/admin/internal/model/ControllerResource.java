// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.HumanDuration;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.admin.internal.value.RevisedValue;
import dev.coxswain.admin.internal.value.SyncingValue;
import dev.coxswain.view.ControllerStatus;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A controller on one replica, or merged from several.
 *
 * @param state such as {@code running}, {@code failed}, {@code unowned}
 * @param counts the items by phase; null for a controller that does not run, as all other counts
 * @param watchNamespaces the namespaces that it may watch; null for all
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
    @Nullable List<PausedCause> pausedCauses,
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
    @Nullable List<String> watchNamespaces,
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
    implements MergedValue,
        RevisedValue,
        SyncingValue,
        ChangedValue,
        TableValue,
        ControllerResourceBuilder.With {

  public static final String KIND = "Controller";

  /** The condition of a controller without an owner. */
  public static final String NO_OWNER = "noOwner";

  static final Columns<ControllerResource> COLUMNS =
      Columns.of(ControllerResource::name)
          .name("NAME", "The name of the controller.", ControllerResource::name)
          .text("STATE", "Its state, a pause, and its conditions.", ControllerResource::states)
          .integer("READY", "Items that can start now.", one -> one.count("ready"))
          .integer("DELAYED", "Items that become due later.", one -> one.count("delayed"))
          .integer("WAITING", "Items that wait for a token.", one -> one.count("waitingToken"))
          .integer("IN-FLIGHT", "Items with an attempt under way.", one -> one.count("inFlight"))
          .integer("FAILING", "Items whose last attempt failed.", ControllerResource::failing)
          .age("AGE", "The time since its start.", ControllerResource::startedAt)
          .wide()
          .integer("TERMINAL", "Items with a terminal failure.", one -> one.count("terminal"))
          .text("WORKERS", "Busy and all workers.", ControllerResource::workers)
          .text(
              "OLDEST-READY",
              "How long the first ready item has been ready.",
              one -> HumanDuration.seconds(one.oldestReadySeconds()))
          .text(
              "LONGEST-RUN",
              "How long the longest attempt has been under way.",
              one -> HumanDuration.seconds(one.longestInFlightSeconds()))
          .text("RATE", "Completed attempts per second, of one minute.", ControllerResource::rate)
          .text(
              "LIMITER",
              "The limiter of its retries.",
              one -> one.options() == null ? null : one.options().limiter())
          .text(
              "OWNERSHIP",
              "Which replicas run it.",
              one -> one.options() == null ? null : one.options().ownership())
          .text("REPLICAS", "The replicas of its parts.", ControllerResource::replicaNames)
          .text("PROBLEM", "Its error, or its conditions.", ControllerResource::problem)
          .build();

  /** A stop of new attempts. */
  public record Pause(String reason, @Nullable Instant since, @Nullable Instant until) {}

  /**
   * A cause of failures whose items are not retried.
   *
   * @param by the actor
   */
  public record PausedCause(
      String cause,
      String error,
      String reason,
      String by,
      Instant since,
      @Nullable Instant until) {}

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
  public TableResource table(TableRequest request) {
    return COLUMNS
        .table(this, request)
        .from(replica, partial, replicas)
        .withWarnings(warnings(List.of(this), request.now()));
  }

  /** Returns a text for each controller without an owner; null for none. */
  static @Nullable List<String> warnings(List<ControllerResource> controllers, Instant now) {
    List<String> warnings = new ArrayList<>();
    for (ControllerResource one : controllers) {
      one.known().stream()
          .filter(condition -> condition.type().equals(NO_OWNER))
          .map(condition ->
              "controller %s: no owner for %s: %s"
                  .formatted(one.name, HumanDuration.since(one.since, now), condition.message()))
          .findFirst()
          .ifPresent(warnings::add);
    }
    return warnings.isEmpty() ? null : warnings;
  }

  private List<Condition> known() {
    return conditions == null ? List.of() : conditions;
  }

  private @Nullable Long count(String phase) {
    return counts == null ? null : counts.get(phase);
  }

  private String states() {
    List<String> states = new ArrayList<>();
    states.add(state);
    if (Boolean.TRUE.equals(paused)) {
      states.add("paused");
    }
    if (pausedCauses != null && !pausedCauses.isEmpty()) {
      states.add("causesPaused");
    }
    known().stream()
        .map(Condition::type)
        .filter(type -> !type.equals(NO_OWNER)) // same as the state
        .distinct()
        .forEach(states::add);
    return String.join(",", states);
  }

  private @Nullable String workers() {
    return maxConcurrent == null ? null : activeWorkers + "/" + maxConcurrent;
  }

  private @Nullable String rate() {
    return throughput == null || throughput.minute == null
        ? null
        : String.format(Locale.ROOT, "%.2f/s", throughput.minute);
  }

  private String replicaNames() {
    return parts == null || parts.isEmpty()
        ? replica
        : parts.stream().map(Part::replica).collect(Collectors.joining(","));
  }

  private String problem() {
    if (error != null && !error.isEmpty()) {
      return error;
    }
    List<String> problems = new ArrayList<>();
    boolean several = parts != null && parts.size() > 1;
    for (Condition one : known()) {
      problems.add(one.type() + (several ? " (" + one.replica() + ")" : "") + ": " + one.message());
    }
    if (sources != null) {
      sources.stream().map(Source::problem).filter(Objects::nonNull).forEach(problems::add);
    }
    return String.join("; ", problems);
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
