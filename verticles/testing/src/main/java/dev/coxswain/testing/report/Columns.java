// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The columns of a table whose rows are made of the reports of all rounds.
 *
 * @param <R> the reports of a row
 */
public final class Columns<R> {
  private final List<String> names = new ArrayList<>();
  private final List<Function<List<R>, String>> cells = new ArrayList<>();

  /** Adds a column of any text. */
  public Columns<R> text(String name, Function<List<R>, String> cell) {
    names.add(name);
    cells.add(cell);
    return this;
  }

  /** Adds a column of the medians of a figure. */
  public Columns<R> median(String name, int decimals, ToDoubleFunction<R> figure) {
    return text(name, all -> Table.number(Statistics.median(all, figure), decimals));
  }

  /** Adds a column of how many times that median is that of the reports given. */
  public Columns<R> ratio(Collection<R> first, ToDoubleFunction<R> figure) {
    double one = Statistics.median(first, figure);
    return text("ratio", all -> Table.ratio(Statistics.median(all, figure), one));
  }

  /** Adds a column of the greatest values of a figure; 0 of no report. */
  public Columns<R> greatest(String name, int decimals, ToDoubleFunction<R> figure) {
    return text(
        name, all -> Table.number(all.stream().mapToDouble(figure).max().orElse(0), decimals));
  }

  /** Adds a column of sums. */
  public Columns<R> sum(String name, ToDoubleFunction<R> figure) {
    return text(name, all -> Table.number(all.stream().mapToDouble(figure).sum(), 0));
  }

  /** Adds a row: leading pairs of header and cell, then those of the reports. */
  public void row(Table table, List<R> reports, String... leading) {
    List<String> header = new ArrayList<>();
    List<String> row = new ArrayList<>();
    for (int i = 0; i < leading.length; i += 2) {
      header.add(leading[i]);
      row.add(leading[i + 1]);
    }
    header.addAll(names);
    cells.forEach(cell -> row.add(cell.apply(reports)));
    table.row(header, row);
  }
}
