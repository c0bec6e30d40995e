// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.print.ResourceKind.Column;
import dev.coxswain.ctl.internal.print.ResourceKind.Visibility;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Printer of objects of one kind in the format of {@code -o}. Prints page by page, so memory does
 * not grow with the length of a list.
 */
public final class Printer {

  public static final Flag NO_HEADERS = Flag.alone("--no-headers", "print no column titles");

  private static final List<String> FORMATS = List.of("json", "yaml", "name", "wide");

  public static final Flag OUTPUT =
      Flag.of("--output", "FORMAT", "json, yaml, name or wide")
          .withLetter('o')
          .withChoices(FORMATS);

  private final ResourceKind kind;
  private final String format;
  private final Console console;
  private final List<Column> columns = new ArrayList<>();
  private final boolean headers;
  private Table table;
  private final boolean single;
  private final List<Json> unsorted = new ArrayList<>();
  private long shown;
  private @Nullable Json head;
  private @Nullable SortBy order;
  private long most;

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
    this.format = format(arguments);
    this.console = console;
    this.single = single;
    for (Column column : kind.columns()) {
      if (column.shown() == Visibility.ALWAYS
          || (column.shown() == Visibility.WIDE && format.equals("wide"))
          || (column.shown() == Visibility.ALL_NAMESPACES && allNamespaces)) {
        columns.add(column);
      }
    }
    headers = !arguments.on(NO_HEADERS);
    table = table();
  }

  private Table table() {
    return new Table(columns.stream().map(Column::header).toList(), headers);
  }

  /** Adds the replica to the columns: items of several replicas look alike without it. */
  private void distinguish(Json list) {
    if (kind.equals(ResourceKinds.ITEM) && format.isEmpty() && list.list("asOf").size() > 1) {
      kind.columns().stream()
          .filter(column -> column.header().equals("REPLICA"))
          .forEach(columns::add);
      table = table();
    }
  }

  /** Returns the format of {@code -o}, or an empty text. */
  public static String format(Arguments arguments) {
    return arguments.choice(OUTPUT);
  }

  /**
   * Returns one object in a format.
   *
   * @param name the output of {@code -o name}
   * @param text the output without a format
   */
  public static String formatted(String format, Json object, String name, String text) {
    return switch (format) {
      case "json" -> object.pretty() + "\n";
      case "yaml" -> Yaml.document(object);
      case "name" -> name + "\n";
      default -> text;
    };
  }

  /**
   * Buffers all objects until the end, and prints the first ones in an order; null prints them as
   * they arrive.
   */
  public Printer sortedBy(@Nullable SortBy value, long atMost) {
    order = value;
    most = atMost;
    return this;
  }

  /** Prints a list response of the admin API, or one page of it. */
  public void page(Json list) {
    if (head == null) {
      head = list;
      distinguish(list);
    }
    List<Json> objects = list.list("items");
    if (order == null) {
      print(list, objects);
    } else if (unsorted.size() + objects.size() > SortBy.MOST) {
      throw new CommandException(
          "flag --sort-by: more than %s %s cannot be sorted; select fewer"
              .formatted(SortBy.MOST, kind.plural()));
    } else {
      unsorted.addAll(objects);
    }
  }

  private void print(Json list, List<Json> objects) {
    objects.forEach(object -> add(list, object));
    flush();
  }

  /** Prints one object. */
  public void object(Json object) {
    add(Json.object("kind", "List"), object);
    flush();
  }

  private void add(Json list, Json object) {
    Instant now = console.clock().instant();
    switch (format) {
      case "json" -> json(list, object);
      case "yaml" -> yaml(list, object);
      case "name" -> console.print(kind.singular() + "/" + kind.name().apply(object) + "\n");
      default -> table.row(columns.stream().map(column -> column.cell().of(object, now)).toList());
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

  private void flush() {
    String rows = table.take();
    if (!rows.isEmpty()) {
      console.print(rows);
    }
    console.deliver();
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
    if (order != null) {
      List<Json> sorted = order.sorted(unsorted, kind);
      print(list, sorted.subList(0, (int) Math.min(most, sorted.size())));
      if (shown < sorted.size()) {
        more();
      }
    }
    switch (format) {
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
    console.note("there are more than the first " + shown);
  }

  public long shown() {
    return shown;
  }

  /** Returns whether nothing was printed or buffered. */
  public boolean isEmpty() {
    return shown == 0 && unsorted.isEmpty();
  }
}
