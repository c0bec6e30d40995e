// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A path to values of a JSON document, in the notation of kubectl's JSONPath: {@code
 * .items[?(@.failures>3)].key.name}. A field that an object lacks has no value; an element that a list lacks is an
 * error, as with kubectl.
 *
 * <p>Thread rule: immutable.
 */
public final class FieldPath {

  /** A step from values to other values. */
  sealed interface Step {}

  /** The whole document, whatever the value is. */
  record Root() implements Step {}

  /** The value of a field; texts, numbers and lists have none. */
  record Field(String name) implements Step {}

  /** All elements of a list or values of an object. */
  record All() implements Step {}

  /** An element of a list; negative ones count from its end. */
  record Element(int index) implements Step {}

  /** Elements of a list; null is its beginning or end. */
  record Slice(@Nullable Integer from, @Nullable Integer to, int by) implements Step {}

  /** The values of several steps from the same value, one after the other. */
  record Union(List<Step> steps) implements Step {}

  /** A value and all that is inside, outer ones first. */
  record Descendants() implements Step {}

  /**
   * The elements of a list that fulfil a condition.
   *
   * @param operator of the comparison; empty when the left side only has to exist
   */
  record Filter(Operand left, String operator, Operand right) implements Step {}

  /**
   * A side of a comparison.
   *
   * @param path to the value; null for a constant
   */
  record Operand(@Nullable FieldPath path, @Nullable Object constant) {

    static final Operand NONE = new Operand(null, null);
  }

  private final String source;
  private final List<Step> steps;

  FieldPath(String source, List<Step> steps) {
    this.source = source;
    this.steps = List.copyOf(steps);
  }

  /**
   * Parses a path with or without braces and the first dot, as kubectl accepts it for fields.
   *
   * @param where the path is from, for messages
   * @throws CommandException with the position of what is wrong
   */
  public static FieldPath relaxed(String text, String where) {
    return new PathParser(text, where).alone();
  }

  /** Returns the fields of the path with dots, or what was written. */
  @Override
  public String toString() {
    StringBuilder fields = new StringBuilder();
    for (Step step : steps) {
      if (!(step instanceof Field(String name)) || name.contains(".")) {
        return source;
      }
      fields.append('.').append(name);
    }
    return fields.toString();
  }

  /** Returns the values of a document; null values are omitted. */
  public List<Object> values(Json document) {
    return values(document.value(), document.value());
  }

  /**
   * Returns the values at a place of a document.
   *
   * @param root the document
   * @param at the place that the path is relative to
   */
  List<Object> values(@Nullable Object root, @Nullable Object at) {
    List<Object> found = at == null ? List.of() : List.of(at);
    boolean anywhere = false; // only some of many values can fit the step
    for (Step step : steps) {
      List<Object> next = new ArrayList<>();
      for (Object value : found) {
        follow(step, root, value, anywhere, next);
      }
      found = next;
      anywhere = step instanceof Descendants;
    }
    return found;
  }

  private void follow(
      Step step, @Nullable Object root, Object value, boolean anywhere, List<Object> to) {
    switch (step) {
      case Root() -> add(to, root);
      case Field(String name) -> add(to, value instanceof Map<?, ?> map ? map.get(name) : null);
      case All() -> children(value).forEach(child -> add(to, child));
      case Element(int index) -> {
        List<?> list = list(value, anywhere);
        int at = index < 0 ? list.size() + index : index;
        if (at >= 0 && at < list.size()) {
          add(to, list.get(at));
        } else if (!anywhere) {
          throw failure("there is no element %s in a list of %s".formatted(index, list.size()));
        }
      }
      case Slice slice -> slice(slice, list(value, anywhere), to);
      case Union(List<Step> all) -> all.forEach(one -> follow(one, root, value, anywhere, to));
      case Descendants() -> descend(value, to);
      case Filter filter -> {
        for (Object element : list(value, anywhere)) {
          if (element != null && fulfils(filter, root, element)) {
            to.add(element);
          }
        }
      }
    }
  }

  private static void add(List<Object> to, @Nullable Object value) {
    if (value != null) {
      to.add(value);
    }
  }

  private static Iterable<? extends @Nullable Object> children(Object value) {
    return value instanceof List<?> list
        ? list
        : value instanceof Map<?, ?> map ? map.values() : List.of();
  }

  private static void descend(Object value, List<Object> to) {
    if (value instanceof Map || value instanceof List) {
      to.add(value);
      for (Object child : children(value)) {
        if (child != null) {
          descend(child, to);
        }
      }
    }
  }

  private List<?> list(Object value, boolean anywhere) {
    if (value instanceof List<?> list) {
      return list;
    }
    if (anywhere) {
      return List.of();
    }
    throw failure(PathTemplate.text(value) + " is not a list");
  }

  /** Adds elements; unlike kubectl, an end behind that of the list is no error. */
  private static void slice(Slice slice, List<?> list, List<Object> to) {
    int from = bound(slice.from == null ? 0 : slice.from, list.size());
    int end = bound(slice.to == null ? list.size() : slice.to, list.size());
    for (long at = from; at < end; at += slice.by) {
      add(to, list.get((int) at));
    }
  }

  private static int bound(int index, int size) {
    return Math.clamp(index < 0 ? size + index : index, 0, size);
  }

  private boolean fulfils(Filter filter, @Nullable Object root, Object element) {
    List<Object> left = side(filter.left, root, element);
    if (filter.operator.isEmpty() || left.isEmpty()) {
      return !left.isEmpty();
    }
    List<Object> right = side(filter.right, root, element);
    if (right.isEmpty()) {
      return false;
    }
    if (left.size() > 1 || right.size() > 1) {
      throw failure("a comparison is of one value with another, not of several");
    }
    int order = compared(left.getFirst(), right.getFirst());
    return switch (filter.operator) {
      case "==" -> order == 0;
      case "!=" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }

  private static List<Object> side(Operand side, @Nullable Object root, Object element) {
    if (side.path != null) {
      return side.path.values(root, element);
    }
    return side.constant == null ? List.of() : List.of(side.constant);
  }

  private int compared(Object left, Object right) {
    if (left instanceof Number && right instanceof Number) {
      return new BigDecimal(left.toString()).compareTo(new BigDecimal(right.toString()));
    }
    if (left instanceof String one && right instanceof String other) {
      return one.compareTo(other);
    }
    if (left instanceof Boolean one && right instanceof Boolean other) {
      return one.compareTo(other);
    }
    throw failure("%s cannot be compared with %s".formatted(new Json(left), new Json(right)));
  }

  private CommandException failure(String why) {
    return new CommandException("in " + source + ": " + why);
  }
}
