// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/**
 * A kind of resource that can be listed.
 *
 * @param singular the kind in {@code -o name}
 * @param plural the kind in messages and paths
 * @param aliases alternative names
 * @param name returns the name of an object
 * @param columns of its table
 */
public record ResourceKind(
    String singular,
    String plural,
    List<String> aliases,
    Function<Json, String> name,
    List<Column> columns) {

  /** Text of a cell for an object at a time. */
  @FunctionalInterface
  public interface Cell {
    String of(Json object, Instant now);
  }

  /** Condition under which a column is shown. */
  enum Visibility {
    ALWAYS,
    /** With {@code -A}. */
    ALL_NAMESPACES,
    /** With {@code -o wide}. */
    WIDE
  }

  /**
   * A column.
   *
   * @param header its title
   * @param shown the condition
   * @param cell its text
   */
  public record Column(String header, Visibility shown, Cell cell) {

    public static Column column(String header, Cell cell) {
      return new Column(header, Visibility.ALWAYS, cell);
    }

    public static Column wide(String header, Cell cell) {
      return new Column(header, Visibility.WIDE, cell);
    }
  }

  /** Returns a name without the prefix that {@code -o name} adds. */
  public String bareName(String word) {
    return word.startsWith(singular + "/") ? word.substring(singular.length() + 1) : word;
  }

  public boolean isCalled(String word) {
    return word.equals(singular) || word.equals(plural) || aliases.contains(word);
  }
}
