// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.HumanDuration;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request that has changed something. Immutable.
 *
 * @param at when its last outcome was recorded
 * @param change the values before and after it, in words
 * @param before the state before it; null when that is not recorded
 * @param after the state after it; null when that is not recorded
 * @param result {@code applied}, {@code partial}, {@code running}, {@code unknown} or the state of its
 *     operation
 * @param matched the items that an operation has selected
 * @param applied the items that an operation has changed
 * @param replicas the replicas that have recorded it
 * @param undoes the request that it has undone
 * @param undo {@link #POSSIBLE}, or why it cannot be undone
 */
@RecordBuilder
public record ChangeRecord(
    String requestId,
    Instant at,
    String actor,
    String action,
    @Nullable String controller,
    @Nullable String cause,
    @Nullable String limiter,
    @Nullable String item,
    @Nullable String plugin,
    @Nullable String operation,
    @Nullable String change,
    @Nullable ChangeState before,
    @Nullable ChangeState after,
    @Nullable String reason,
    String result,
    @Nullable Long matched,
    @Nullable Long applied,
    List<String> replicas,
    @Nullable String undoes,
    String undo) {

  /** It can be undone, as far as the audit shows. */
  static final String POSSIBLE = "possible";

  static final Columns<ChangeRecord> COLUMNS =
      Columns.of(ChangeRecord::requestId)
          .name("REQUEST", "The id of the request.", ChangeRecord::requestId)
          .age("AGE", "The time since then.", ChangeRecord::at)
          .text("ACTOR", "Who requested the change.", ChangeRecord::actor)
          .text("ACTION", "The kind of the change.", ChangeRecord::action)
          .text("ON", "What was changed.", ChangeRecord::subject)
          .text("CHANGE", "The values before and after.", ChangeRecord::change)
          .text("RESULT", "The outcome in one word.", ChangeRecord::result)
          .text("UNDO", "Whether it can be undone.", one -> one.isUndoable() ? "yes" : "no")
          .message("REASON", "The reason of the request.", ChangeRecord::reason)
          .wide()
          .text("TIME", "The time.", one -> HumanDuration.time(one.at()))
          .text("OPERATION", "The operation that it has started.", ChangeRecord::operation)
          .text("UNDOES", "The request that it has undone.", ChangeRecord::undoes)
          .text("REPLICAS", "The replicas of it.", one -> String.join(",", one.replicas()))
          .text("WHY-NOT", "Why it cannot be undone.", ChangeRecord::whyNot)
          .build();

  public ChangeRecord {
    replicas = List.copyOf(replicas);
  }

  /** Returns whether it can be undone, as far as the audit shows. */
  boolean isUndoable() {
    return undo.equals(POSSIBLE);
  }

  private @Nullable String whyNot() {
    return isUndoable() ? null : undo;
  }

  private @Nullable String subject() {
    if (limiter != null) {
      return "limiter/" + limiter;
    }
    if (plugin != null) {
      return "plugin/" + plugin;
    }
    if (controller == null) {
      return operation;
    }
    String part = cause != null ? "cause/" + cause : item;
    return part == null ? controller : controller + " " + part;
  }
}
