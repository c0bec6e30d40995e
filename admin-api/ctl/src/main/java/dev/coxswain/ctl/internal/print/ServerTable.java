// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.util.ArrayList;
import java.util.List;

/**
 * A table as the server sends it: columns, and rows with the name of their object. The server
 * computes the cells; which columns are shown, and how much of a long text, is decided here.
 */
final class ServerTable {

  static final String TYPE = "application/json;as=Table";

  /** The same, whose rows have their objects. */
  static final String WITH_OBJECTS = TYPE + ";include=Object";

  private static final int MESSAGE_LENGTH = 60;

  private final List<Integer> columns = new ArrayList<>();
  private final List<Json> definitions;

  /**
   * Chooses the columns.
   *
   * @param wide whether those of wide tables are shown
   * @param namespaces whether the namespace is shown
   */
  ServerTable(Json table, boolean wide, boolean namespaces) {
    if (!table.text("kind").equals("Table")) {
      throw new CommandException(
          "the server sent no table: its version differs from this one; see -o json");
    }
    definitions = table.list("columnDefinitions");
    for (int i = 0; i < definitions.size(); i++) {
      Json column = definitions.get(i);
      boolean shown =
          column.text("format").equals("namespace")
              ? namespaces
              : wide || column.number("priority") == 0;
      if (shown) {
        columns.add(i);
      }
    }
  }

  /** Returns whether a further page has the same columns; not from a replica of another version. */
  boolean fits(Json page) {
    return names(page.list("columnDefinitions")).equals(names(definitions));
  }

  private static List<String> names(List<Json> definitions) {
    return definitions.stream().map(each -> each.text("name")).toList();
  }

  List<String> headers() {
    return columns.stream().map(column -> definitions.get(column).text("name")).toList();
  }

  /** Returns the texts of a row of this table, or of a further page. */
  List<String> cells(Json row) {
    List<Json> cells = row.list("cells");
    return columns.stream()
        .map(column -> {
          String text = column < cells.size() ? cells.get(column).asText() : "";
          return definitions.get(column).text("format").equals("message")
              ? Table.cut(text, MESSAGE_LENGTH)
              : text;
        })
        .toList();
  }
}
