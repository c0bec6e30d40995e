// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints rows so that a person can read them and Markdown can take them as they are. */
public final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  /** A table; without a header here the first row brings it. */
  public Table(String... header) {
    header(List.of(header));
  }

  /** Sets the header when there is none yet. */
  private void header(List<String> header) {
    if (rows.isEmpty() && !header.isEmpty()) {
      rows.add(List.copyOf(header));
    }
  }

  public void row(String... cells) {
    rows.add(List.of(cells));
  }

  /** Adds a row; the first one brings the header. */
  public void row(List<String> columns, List<String> cells) {
    header(columns);
    rows.add(List.copyOf(cells));
  }

  public void print(PrintStream out, String title) {
    if (rows.isEmpty()) {
      return;
    }
    out.println();
    out.println("### " + title);
    out.println();
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (int r = 0; r < rows.size(); r++) {
      StringBuilder line = new StringBuilder("|");
      StringBuilder rule = new StringBuilder("|");
      for (int i = 0; i < columns; i++) {
        String cell = rows.get(r).get(i);
        String gap = " ".repeat(widths[i] - cell.length());
        line.append(' ').append(i == 0 ? cell + gap : gap + cell).append(" |");
        rule.append(i == 0 ? "-".repeat(widths[i] + 2) : "-".repeat(widths[i] + 1) + ":")
            .append('|');
      }
      out.println(line);
      if (r == 0) {
        out.println(rule);
      }
    }
    out.flush();
  }

  public static String number(double value, int decimals) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }

  /** How many times better or worse than the first, such as {@code 1.8x}. */
  public static String ratio(double value, double first) {
    return Double.isNaN(value) || Double.isNaN(first) || first == 0
        ? "-"
        : number(value / first, 2) + "x";
  }
}
