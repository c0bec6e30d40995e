// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.testing.report.Table;
import java.io.PrintStream;
import java.util.List;

/**
 * The result of a scenario.
 *
 * <p>Thread rule: immutable.
 *
 * @param good whether the promise was kept and nothing else went wrong
 */
public record Row(List<String> columns, List<String> cells, boolean good) {
  /** Returns the cell of the first column of a name. */
  public String cell(String column) {
    return cells.get(columns.indexOf(column));
  }

  /** Prints rows with the same columns, and returns whether all of them are good. */
  public static boolean print(PrintStream out, String title, List<Row> rows) {
    Table table = new Table();
    rows.forEach(row -> table.row(row.columns, row.cells));
    table.print(out, title);
    return rows.stream().allMatch(Row::good);
  }

  @Override
  public String toString() {
    return "| " + String.join(" | ", cells) + " |";
  }
}
