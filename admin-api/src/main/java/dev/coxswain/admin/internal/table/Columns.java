// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

import dev.coxswain.admin.internal.table.TableResource.Definition;
import dev.coxswain.admin.internal.table.TableResource.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a type of objects: each one is a function of the object.
 *
 * @param <T> the type of the objects
 */
public final class Columns<T> {

  private static final String TEXT = "string";

  private final Function<T, String> name;
  private final List<Definition> definitions;
  private final List<Cell<T>> cells;

  private Columns(Function<T, String> name, List<Definition> definitions, List<Cell<T>> cells) {
    this.name = name;
    this.definitions = List.copyOf(definitions);
    this.cells = List.copyOf(cells);
  }

  /** Returns the value of a cell at a time; null for none. */
  @FunctionalInterface
  public interface Cell<T> {
    @Nullable Object of(T object, Instant now);
  }

  /** Returns a value of an object; null for none. */
  @FunctionalInterface
  public interface Getter<T, V> {
    @Nullable V of(T object);
  }

  /**
   * Starts the columns of a type.
   *
   * @param name returns the name of an object in its kind
   */
  public static <T> Builder<T> of(Function<T, String> name) {
    return new Builder<>(name);
  }

  /** Returns the table of some objects, in their order. */
  public TableResource table(List<T> objects, TableRequest request) {
    return TableResource.of(definitions, objects.stream().map(one -> row(one, request)).toList());
  }

  /** Returns the table of one object. */
  public TableResource table(T object, TableRequest request) {
    return table(List.of(object), request);
  }

  private Row row(T object, TableRequest request) {
    List<@Nullable Object> row = new ArrayList<>(cells.size());
    cells.forEach(cell -> row.add(cell.of(object, request.now())));
    return new Row(row, name.apply(object), request.withObjects() ? object : null);
  }

  /** Returns the columns with one that is always shown. */
  public Columns<T> showing(String column) {
    return new Columns<>(
        name,
        definitions.stream()
            .map(one ->
                one.name().equals(column)
                    ? new Definition(one.name(), one.type(), one.format(), one.description(), 0)
                    : one)
            .toList(),
        cells);
  }

  /** Collects columns in their order. */
  public static final class Builder<T> {

    private final Function<T, String> name;
    private final List<Definition> definitions = new ArrayList<>();
    private final List<Cell<T>> cells = new ArrayList<>();
    private int priority;

    private Builder(Function<T, String> name) {
      this.name = name;
    }

    /** Adds a text that identifies the object. */
    public Builder<T> name(String header, String description, Getter<T, String> text) {
      return column(header, TEXT, "name", description, (object, _) -> text.of(object));
    }

    /** Adds the namespace, which a client shows when the objects are of several. */
    public Builder<T> namespace(String header, String description, Getter<T, String> text) {
      return column(header, TEXT, "namespace", description, (object, _) -> text.of(object));
    }

    /** Adds a text. */
    public Builder<T> text(String header, String description, Getter<T, String> text) {
      return column(header, TEXT, null, description, (object, _) -> text.of(object));
    }

    /** Adds a text that may be long, of which a client shows the beginning. */
    public Builder<T> message(String header, String description, Getter<T, String> text) {
      return column(header, TEXT, "message", description, (object, _) -> text.of(object));
    }

    /** Adds a whole number. */
    public Builder<T> integer(String header, String description, Getter<T, Number> number) {
      return column(header, "integer", null, description, (object, _) -> number.of(object));
    }

    /** Adds a number. */
    public Builder<T> number(String header, String description, Getter<T, Double> number) {
      return column(header, "number", null, description, (object, _) -> number.of(object));
    }

    /** Adds the time since another one. */
    public Builder<T> age(String header, String description, Getter<T, Instant> time) {
      return column(
          header,
          TEXT,
          null,
          description,
          (object, now) -> HumanDuration.since(time.of(object), now));
    }

    /** Adds a time relative to now. */
    public Builder<T> relative(String header, String description, Getter<T, Instant> time) {
      return column(
          header,
          TEXT,
          null,
          description,
          (object, now) -> HumanDuration.relative(time.of(object), now));
    }

    /** The columns that follow are those of wide tables. */
    public Builder<T> wide() {
      priority = 1;
      return this;
    }

    private Builder<T> column(
        String header, String type, @Nullable String format, String description, Cell<T> cell) {
      definitions.add(new Definition(header, type, format, description, priority));
      cells.add(cell);
      return this;
    }

    public Columns<T> build() {
      return new Columns<>(name, definitions, cells);
    }
  }
}
