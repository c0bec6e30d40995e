// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operation on one replica, or merged from its parts.
 *
 * @param detail why it has failed, or was not complete
 * @param relisted of a flush, how many items were added again
 * @param byPhase the items that were found, by their phase before
 * @param members the replicas that changed items
 * @param participants the replicas that have a part; between replicas, as the next two
 * @param refusals the participants that refused their part, with the kinds of their problems
 * @param finalParts the final parts of other replicas, by replica
 * @param expectedEnd when the last item is expected to be due, while that is not over
 * @param result whether a stop has stopped it: applied, or skipped when it had ended
 * @param historyProblem why stored parts may be missing
 */
@RecordBuilder
public record OperationResource(
    String kind,
    String id,
    String controller,
    @JsonUnwrapped Request request,
    String state,
    @Nullable String detail,
    String actor,
    String reason,
    long matched,
    long done,
    long applied,
    long skipped,
    long moved,
    long failed,
    long remaining,
    List<Count> byResult,
    @Nullable String firstFailure,
    @Nullable Long relisted,
    @Nullable Long notRelisted,
    @Nullable Map<String, Long> byPhase,
    @Nullable Map<String, Long> byNamespace,
    @Nullable List<String> sample,
    @Nullable Long asOfSeq,
    List<Member> members,
    @Nullable List<String> participants,
    @Nullable Map<String, String> refusals,
    @Nullable Map<String, OperationResource> finalParts,
    @Nullable Stop stop,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable Instant expectedEnd,
    @Nullable String result,
    @Nullable List<Part> parts,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable List<ChangeResult> results,
    @Nullable String historyProblem)
    implements MergedValue, ChangedValue, TableValue, OperationResourceBuilder.With {

  public static final String KIND = "Operation";

  public static final Columns<OperationResource> COLUMNS =
      Columns.of(OperationResource::id)
          .name("ID", "The id of the operation.", OperationResource::id)
          .text("CONTROLLER", "The controller of its items.", OperationResource::controller)
          .text("ACTION", "What it does with them.", one -> one.request().action())
          .text("STATE", "Its state.", OperationResource::state)
          .text("DONE", "Items done, of those matched.", one -> one.done() + "/" + one.matched())
          .integer("FAILED", "Items that it could not change.", OperationResource::failed)
          .text("ACTOR", "Who requested it.", OperationResource::actor)
          .age("AGE", "The time since its start.", OperationResource::startedAt)
          .relative("ENDS", "When the last item is due.", OperationResource::expectedEnd)
          .wide()
          .text("REASON", "The reason of the request.", OperationResource::reason)
          .text("DETAIL", "Why it was not complete.", OperationResource::detail)
          .build();

  /**
   * What was requested.
   *
   * @param then what a flush does with flushed items; null for other actions, as the next two
   * @param delay of a requeue
   */
  public record Request(
      String action,
      Selector selector,
      @Nullable String then,
      @Nullable Boolean keepFailures,
      @Nullable Boolean dropDirty,
      @Nullable String delay,
      int itemsPerSecond,
      int maxAffected) {}

  /** The filter of the items; a condition that is null holds for every item. */
  public record Selector(
      @Nullable List<String> phase,
      @Nullable Boolean failing,
      @Nullable Integer minFailures,
      @Nullable String namespace,
      @Nullable String name,
      @Nullable String olderThan,
      @Nullable Instant readyBefore,
      @Nullable String errorClass,
      @Nullable String cause,
      @Nullable String labelSelector) {}

  /** How many items have a result, for a cause if they were skipped. */
  public record Count(String result, @Nullable String cause, long count) {}

  /** A replica that changed items. */
  public record Member(String id, String state, long applied) {}

  /** A request to stop the operation. */
  public record Stop(String actor, String reason, @Nullable Instant at) {}

  /** The part of a replica; without counts when it has none. */
  public record Part(
      String replica,
      String state,
      @Nullable Long matched,
      @Nullable Long done,
      @Nullable Long applied,
      @Nullable Long skipped,
      @Nullable Long moved,
      @Nullable Long failed,
      @Nullable Long remaining,
      @Nullable String detail) {

    /** Creates the part of a replica that has none. */
    public Part(String replica, String state, String detail) {
      this(replica, state, null, null, null, null, null, null, null, detail);
    }
  }

  /** Returns what a replica contributes. */
  public Part part(String of) {
    return new Part(of, state, matched, done, applied, skipped, moved, failed, remaining, detail);
  }

  /** Returns whether all its items were skipped: none failed, moved or is left. */
  public boolean allSkipped() {
    return matched > 0 && skipped == matched && moved == 0 && failed == 0 && remaining == 0;
  }

  /** Returns it without what only replicas exchange. */
  public OperationResource shown() {
    return OperationResourceBuilder.builder(this)
        .participants(null)
        .refusals(null)
        .finalParts(null)
        .build();
  }

  @Override
  public String recorded() {
    return state;
  }

  @Override
  public OperationResource outcome(String value, @Nullable String why) {
    return withResult(value);
  }

  @Override
  public OperationResource on(String self, boolean isPartial, List<ChangeResult> all) {
    return withReplica(self).withPartial(isPartial).withResults(all);
  }

  @Override
  public OperationResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return OperationResourceBuilder.builder(this)
        .replica(replica == null ? self : replica)
        .partial(isPartial)
        .replicas(states)
        .build();
  }

  @Override
  public TableResource table(TableRequest request) {
    return COLUMNS
        .table(this, request)
        .from(replica, partial, replicas)
        .withHistoryProblem(historyProblem);
  }

  /** Returns it with why stored parts may be missing, which makes it partial; null for no problem. */
  public OperationResource withStored(@Nullable String problem) {
    return problem == null ? this : withPartial(true).withHistoryProblem(problem);
  }

  @Override
  public int entries() {
    return 3
        + (parts == null ? 0 : parts.size())
        + (finalParts == null ? 0 : 3 * finalParts.size());
  }
}
