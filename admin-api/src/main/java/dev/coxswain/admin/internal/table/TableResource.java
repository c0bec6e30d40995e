// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.coxswain.admin.internal.value.ReplicaState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns and rows of a list, or of one object.
 *
 * @param next the position of the next page
 * @param replica the replica that responds
 * @param partial whether rows or parts of them may be missing, as in the list; null if it has none
 * @param historyProblem why stored rows may be missing
 * @param warnings what a client shows beside the table
 */
@RecordBuilder
public record TableResource(
    String kind,
    List<Definition> columnDefinitions,
    List<Row> rows,
    @JsonProperty("continue") @Nullable String next,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable String historyProblem,
    @Nullable List<String> warnings)
    implements TableResourceBuilder.With {

  private static final String KIND = "Table";

  /**
   * A column.
   *
   * @param type of its cells: {@code string}, {@code integer} or {@code number}
   * @param format {@code name}, {@code namespace} or {@code message}; null for any other text
   * @param priority 0 for a column that is always shown, more for one of wide tables
   */
  public record Definition(
      String name, String type, @Nullable String format, String description, int priority) {}

  /**
   * A row.
   *
   * @param cells the values of the columns, null for none
   * @param name the name of the object in its kind
   * @param object the object, if it was requested
   */
  public record Row(List<@Nullable Object> cells, String name, @Nullable Object object) {}

  static TableResource of(List<Definition> columns, List<Row> rows) {
    return new TableResource(KIND, columns, rows, null, null, null, null, null, null);
  }

  /** Returns the table with what its list has about the replicas. */
  public TableResource from(
      @Nullable String self, @Nullable Boolean isPartial, @Nullable List<ReplicaState> states) {
    return TableResourceBuilder.builder(this)
        .replica(self)
        .partial(isPartial)
        .replicas(states)
        .build();
  }
}
