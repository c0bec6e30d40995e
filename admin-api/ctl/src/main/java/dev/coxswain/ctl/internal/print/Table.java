// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.util.ArrayList;
import java.util.List;

/**
 * A table with aligned columns, as kubectl prints it. It can be printed in parts, to bound memory;
 * columns only become wider.
 */
public final class Table {

  private static final int GAP = 3;

  private final List<String> headers;
  private final int[] widths;
  private final List<List<String>> rows = new ArrayList<>();
  private final Colors colors;
  private boolean headersDue;

  public Table(List<String> headers, boolean showHeaders) {
    this(headers, showHeaders, Colors.NONE);
  }

  public Table(List<String> headers, boolean showHeaders, Colors colors) {
    this.colors = colors;
    this.headers = headers.stream().map(Console::clean).toList();
    this.widths = new int[headers.size()];
    this.headersDue = showHeaders;
  }

  /** Adds a row; an empty cell is shown as {@code <none>}. */
  public void row(List<String> cells) {
    List<String> shown = new ArrayList<>(cells.size());
    for (String cell : cells) {
      shown.add(cell.isEmpty() ? "<none>" : Console.clean(cell));
    }
    rows.add(shown);
  }

  /** Returns the lines added since the last call; the headers come with the first rows. */
  public String take() {
    if (rows.isEmpty()) {
      return "";
    }
    int titles = headersDue ? 1 : 0;
    if (headersDue) {
      rows.addFirst(headers);
      headersDue = false;
    }
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    StringBuilder text = new StringBuilder();
    for (int at = 0; at < rows.size(); at++) {
      List<String> row = rows.get(at);
      for (int i = 0; i < widths.length; i++) {
        String cell = row.get(i);
        text.append(at < titles ? cell : colors.shown(headers.get(i), cell));
        if (i < widths.length - 1) {
          text.repeat(' ', widths[i] - width(cell) + GAP);
        }
      }
      text.append('\n');
    }
    rows.clear();
    return text.toString();
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }

  /** Returns a text shortened to a number of characters. */
  static String cut(String text, int length) {
    return width(text) <= length
        ? text
        : text.substring(0, text.offsetByCodePoints(0, length - 3)) + "...";
  }

  /** Returns aligned lines of {@code label: text}; empty texts are omitted. */
  public static String described(String... labelsAndTexts) {
    int width = 0;
    for (int i = 0; i < labelsAndTexts.length; i += 2) {
      if (!labelsAndTexts[i + 1].isEmpty()) {
        width = Math.max(width, labelsAndTexts[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < labelsAndTexts.length; i += 2) {
      if (!labelsAndTexts[i + 1].isEmpty()) {
        text.append(labelsAndTexts[i])
            .append(':')
            .repeat(' ', width - labelsAndTexts[i].length() + 2)
            .append(Console.clean(labelsAndTexts[i + 1]))
            .append('\n');
      }
    }
    return text.toString();
  }
}
