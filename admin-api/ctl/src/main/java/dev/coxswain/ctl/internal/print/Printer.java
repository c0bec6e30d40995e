// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import static java.util.Objects.requireNonNull;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Printer of objects of one kind in the format of {@code -o}. Prints page by page, so memory does
 * not grow with the length of a list.
 */
public final class Printer {

  /** The most objects that are held in memory. */
  static final int MOST = 100_000;

  private final ResourceKind kind;
  private final OutputFormat format;
  private final Console console;
  private final Colors colors;
  private final boolean allNamespaces;
  private final boolean single;
  private final List<Json> held = new ArrayList<>();
  private long shown;
  private @Nullable Json head;
  private @Nullable ServerTable columns;
  private @Nullable Table table;
  private @Nullable SortBy order;
  private boolean withObjects;
  private long most = Long.MAX_VALUE;

  /**
   * Creates a printer.
   *
   * @param single whether it prints one object, which JSON shows without a list
   */
  public Printer(
      ResourceKind kind,
      Arguments arguments,
      Console console,
      boolean allNamespaces,
      boolean single) {
    this.kind = kind;
    this.format = OutputFormat.of(arguments);
    this.console = console;
    this.colors = Colors.of(arguments, console);
    this.allNamespaces = allNamespaces;
    this.single = single;
  }

  /** Returns whether it prints the rows of tables, and no JSON. */
  public boolean ofTables() {
    return format.isOfTables();
  }

  /** Returns the media type of the responses that it prints. */
  public String accept() {
    if (!ofTables()) {
      return "application/json";
    }
    return withObjects ? ServerTable.WITH_OBJECTS : ServerTable.TYPE;
  }

  /** Returns the objects of a list, or the rows of a table. */
  public List<Json> entries(Json response) {
    return response.list(entries());
  }

  private String entries() {
    return ofTables() ? "rows" : "items";
  }

  /** Returns a list with other objects, or a table with other rows. */
  public Json with(Json response, List<Json> entries) {
    return response.with(entries(), entries.stream().map(Json::value).toList());
  }

  /** Returns the list of one object; a table is one already. */
  public Json listed(Json response) {
    return ofTables() ? response : with(Json.object("kind", "List"), List.of(response));
  }

  /** Returns the name of an object, or of that of a row. */
  public String name(Json entry) {
    return entry.text(ofTables() ? "name" : kind.key());
  }

  /** Returns an object, or that of a row; see {@link #withObjects}. */
  public Json object(Json entry) {
    return ofTables() ? entry.get("object") : entry;
  }

  /**
   * Buffers all objects until the end, and prints the first ones in an order; null prints them as
   * they arrive.
   */
  public Printer sortedBy(@Nullable SortBy value, long atMost) {
    order = value;
    most = atMost;
    withObjects |= value != null;
    return this;
  }

  /** Requests the object of each row. */
  public Printer withObjects() {
    withObjects = true;
    return this;
  }

  /** Prints a list response of the admin API, one page of it, or a table. */
  public void page(Json list) {
    if (head == null) {
      head = list;
      if (ofTables()) {
        // The first page has the columns of all pages.
        columns = new ServerTable(list, format.is("wide"), allNamespaces);
        table = new Table(columns.headers(), format.headers(), colors);
      } else if (format.columns() != null) {
        table = new Table(format.columns().headers(), format.headers());
      }
    } else if (columns != null && !columns.fits(list)) {
      throw new CommandException(
          "a further page has other columns: replicas of two versions answer; try again later, or see -o json");
    }
    List<Json> entries = entries(list);
    if (single || (order == null && format.template() == null)) {
      print(list, entries);
    } else if (held.size() + entries.size() > MOST) {
      throw new CommandException(
          "%s: more than %s %s cannot be held in memory; select fewer"
              .formatted(
                  order == null ? "-o " + format.name() : SortBy.FLAG.name(), MOST, kind.plural()));
    } else {
      held.addAll(entries);
    }
  }

  private void print(Json list, List<Json> entries) {
    if (format.template() != null && !single) {
      format.template().print(with(list.without("continue"), entries), console::print);
      shown += entries.size();
    } else {
      entries.forEach(entry -> add(list, entry));
    }
    String rows = table == null ? "" : table.take();
    if (!rows.isEmpty()) {
      console.print(rows);
    }
    console.deliver();
  }

  private void add(Json list, Json entry) {
    switch (format.name()) {
      case "json" -> json(list, entry);
      case "yaml" -> yaml(list, entry);
      case "jsonpath", "go-template" ->
          requireNonNull(format.template()).print(entry, console::print);
      case "custom-columns" ->
          requireNonNull(table).row(requireNonNull(format.columns()).cells(entry));
      case "name" -> console.print(kind.singular() + "/" + Console.clean(name(entry)) + "\n");
      default -> requireNonNull(table).row(requireNonNull(columns).cells(entry));
    }
    shown++;
  }

  private void json(Json list, Json object) {
    if (single) {
      console.print(object.pretty() + "\n");
      return;
    }
    console.print(shown == 0 ? opening(list) : ",\n");
    console.print(indented(object.pretty(), 2));
  }

  /** Returns the text of a list before its first object. */
  private static String opening(Json list) {
    StringBuilder text = new StringBuilder("{\n");
    Json head = list.without("items", "continue");
    for (String name : head.names()) {
      text.append(indented(Json.quoted(name) + ": " + head.get(name).pretty(), 1)).append(",\n");
    }
    return text.append("    \"items\": [\n").toString();
  }

  private static String indented(String text, int levels) {
    String indent = "    ".repeat(levels);
    return indent + text.replace("\n", "\n" + indent);
  }

  private void yaml(Json list, Json object) {
    if (single) {
      console.print(Yaml.document(object));
      return;
    }
    if (shown == 0) {
      console.print(Yaml.document(list.without("items", "continue")) + "items:\n");
    }
    console.print(Yaml.element(object));
  }

  /**
   * Ends the list.
   *
   * @param nothing the message for an empty list
   */
  public void end(String nothing) {
    if (single) {
      return;
    }
    Json list = head == null ? Json.object("kind", "List") : head;
    if (order != null || format.template() != null) {
      List<Json> sorted =
          order == null ? List.copyOf(held) : order.sorted(held, this::object, kind);
      held.clear();
      print(list, sorted.subList(0, (int) Math.min(most, sorted.size())));
      if (shown < sorted.size()) {
        more();
      }
    }
    switch (format.name()) {
      case "jsonpath", "go-template" -> {}
      case "json" -> console.print(shown == 0 ? opening(list) + "    ]\n}\n" : "\n    ]\n}\n");
      case "yaml" -> {
        if (shown == 0) {
          console.print(Yaml.document(list.without("items", "continue")) + "items: []\n");
        }
      }
      default -> {
        if (shown == 0 && !nothing.isEmpty()) {
          console.out().flush();
          console.err().println(nothing);
        }
      }
    }
  }

  /** Prints a note that more objects exist. */
  public void more() {
    console.note("there are more than the first " + shown());
  }

  /** Returns how many objects were printed, or are held to be printed in another order or as one text. */
  public long shown() {
    return order == null ? shown + held.size() : shown;
  }

  /** Returns whether nothing was printed or buffered. */
  public boolean isEmpty() {
    return shown == 0 && held.isEmpty();
  }
}
