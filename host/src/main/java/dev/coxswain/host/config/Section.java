// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import dev.coxswain.ctl.cli.Durations;
import dev.coxswain.ctl.cli.Suggestions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads one map of the configuration key by key and collects what is wrong with it. A key that
 * nobody has asked for by the time of {@link #end} is unknown.
 */
final class Section {

  private final Tree.Branch branch;
  private final String path;
  private final List<String> problems;
  private final Set<String> asked = new LinkedHashSet<>();

  Section(Tree.Branch branch, String path, List<String> problems) {
    this.branch = branch;
    this.path = path;
    this.problems = problems;
  }

  /** Returns the section under a key; an empty one when there is none. */
  Section section(String key) {
    Tree tree = take(key);
    if (tree instanceof Tree.Branch found) {
      return new Section(found, pathOf(key), problems);
    }
    if (tree != null) {
      wrong(key, tree, "a map");
    }
    return new Section(Tree.Branch.empty(branch.origin()), pathOf(key), problems);
  }

  /** Returns what is built of each entry of this section, whose keys are free names. */
  <T> Map<String, T> each(Pattern names, String expected, Function<Section, T> read) {
    Map<String, T> result = new LinkedHashMap<>();
    for (String name : List.copyOf(branch.entries().keySet())) {
      if (!names.matcher(name).matches()) {
        asked.add(name);
        problem(branch.entries().get(name), pathOf(name), "\"" + name + "\" is not " + expected);
        continue;
      }
      Section section = section(name);
      result.put(name, read.apply(section));
      section.end();
    }
    return result;
  }

  /** Returns where this section was written: file and line, or what set it. */
  String origin() {
    return branch.origin();
  }

  /** Returns the keys that are there. */
  List<String> keys() {
    return List.copyOf(branch.entries().keySet());
  }

  /** Returns text, or null when there is none. */
  @Nullable String text(String key) {
    return leaf(key, "text", leaf -> leaf.text().isEmpty() ? null : leaf.text());
  }

  /** Returns text of a form, or null when there is none. */
  @Nullable String text(String key, Pattern form, String expected) {
    return leaf(key, expected, leaf -> form.matcher(leaf.text()).matches() ? leaf.text() : null);
  }

  /** Returns a whole number within bounds, or null when there is none. */
  @Nullable Integer integer(String key, int min, int max) {
    return leaf(
        key,
        "a whole number from " + min + " to " + max,
        leaf ->
            leaf.value() instanceof Integer number && number >= min && number <= max
                ? number
                : null);
  }

  /** Returns a number within bounds, or null when there is none. */
  @Nullable Double number(String key, double min, double max) {
    return leaf(
        key,
        "a number from " + plain(min) + " to " + plain(max),
        leaf ->
            leaf.value() instanceof Number number
                    && number.doubleValue() >= min
                    && number.doubleValue() <= max
                ? Double.valueOf(number.doubleValue())
                : null);
  }

  /** Returns true or false, or null when there is none. */
  @Nullable Boolean flag(String key) {
    return leaf(key, "true or false", leaf -> leaf.value() instanceof Boolean flag ? flag : null);
  }

  /** Returns a duration of at least {@code min}, or null when there is none. */
  @Nullable Duration duration(String key, Duration min) {
    return leaf(
        key,
        (min.isZero() ? "a duration" : "a duration of at least " + min.toMillis() + "ms")
            + " such as \"500ms\", \"15s\" or \"1m30s\", or 0",
        leaf ->
            Durations.parse(leaf.text()).filter(found -> found.compareTo(min) >= 0).orElse(null));
  }

  /** Returns a constant, written in camel case, or null when there is none. */
  <E extends Enum<E>> @Nullable E oneOf(String key, Class<E> type) {
    List<String> words =
        Arrays.stream(type.getEnumConstants()).map(constant -> word(constant.name())).toList();
    return leaf(
        key,
        "one of " + String.join(", ", words),
        leaf -> {
          int index = words.indexOf(leaf.text());
          return index < 0 ? null : type.getEnumConstants()[index];
        });
  }

  /** Returns what a word stands for, or null when there is none. */
  <T> @Nullable T oneOf(String key, Function<String, Optional<T>> of, String words) {
    return leaf(key, "one of " + words, leaf -> of.apply(leaf.text()).orElse(null));
  }

  /** Returns what is built of each map of a list, or nothing when there is no list. */
  <T> List<T> items(String key, Function<Section, T> read) {
    Tree tree = take(key);
    List<T> result = new ArrayList<>();
    if (tree instanceof Tree.Items(List<Tree> items, _)) {
      for (int i = 0; i < items.size(); i++) {
        if (items.get(i) instanceof Tree.Branch item) {
          Section section = new Section(item, pathOf(key) + "[" + i + "]", problems);
          result.add(read.apply(section));
          section.end();
        } else {
          wrong(key, items.get(i), "a list of maps");
        }
      }
    } else if (tree != null && !(tree instanceof Tree.Leaf(Object value, _, _) && value == null)) {
      wrong(key, tree, "a list of maps");
    }
    return result;
  }

  /** Returns a list of texts of a form, or an empty one when there is none. */
  List<String> texts(String key, Pattern form, String expected, int most) {
    Tree tree = take(key);
    if (tree == null || (tree instanceof Tree.Leaf(Object value, _, _) && value == null)) {
      return List.of();
    }
    List<String> result = new ArrayList<>();
    if (tree instanceof Tree.Items(List<Tree> items, _) && items.size() <= most) {
      for (Tree item : items) {
        if (item instanceof Tree.Leaf leaf && form.matcher(leaf.text()).matches()) {
          result.add(leaf.text());
        } else {
          wrong(key, item, "a list of " + expected);
        }
      }
    } else {
      wrong(key, tree, "a list of at most " + most + " " + expected);
    }
    return result;
  }

  /** Returns whatever is under a key, as maps, lists, strings, numbers and booleans. */
  Map<String, Object> free(String key) {
    Tree tree = take(key);
    if (tree instanceof Tree.Branch found) {
      return plainMap(found, pathOf(key));
    }
    if (tree != null) {
      wrong(key, tree, "a map");
    }
    return Map.of();
  }

  /** Tells of a fault that only shows when several values are looked at together. */
  void fault(String key, String expected) {
    Tree tree = branch.entries().get(key);
    problem(tree == null ? branch : tree, pathOf(key), "expected " + expected);
  }

  /** Returns whether something was written at a place further down. */
  boolean has(List<String> keys) {
    Tree found = branch;
    for (String key : keys) {
      found = found instanceof Tree.Branch at ? at.entries().get(key) : null;
      if (found == null) {
        return false;
      }
    }
    return true;
  }

  /** Tells of a fault at a place further down. */
  void fault(List<String> keys, String what) {
    Tree found = branch;
    for (String key : keys) {
      Tree next = found instanceof Tree.Branch at ? at.entries().get(key) : null;
      if (next == null) {
        break; // the nearest that is there: the value is a default
      }
      found = next;
    }
    problem(found, String.join(".", keys), what);
  }

  /** Tells of what another module has refused in words that begin with the path of the key. */
  void refused(String pathAndWhat) {
    int colon = pathAndWhat.indexOf(": ");
    if (colon < 0) {
      problem(branch, "", pathAndWhat);
    } else {
      fault(
          List.of(pathAndWhat.substring(0, colon).split("\\.", -1)),
          pathAndWhat.substring(colon + 2));
    }
  }

  /** Returns whether nothing has been found wrong anywhere so far. */
  boolean clean() {
    return problems.isEmpty();
  }

  /** Reports the keys that nobody has asked for. */
  void end() {
    branch
        .entries()
        .forEach((key, tree) -> {
          if (!asked.contains(key)) {
            problem(tree, pathOf(key), "unknown key, " + Suggestions.of(key, asked));
          }
        });
  }

  private <T> @Nullable T leaf(String key, String expected, Function<Tree.Leaf, @Nullable T> read) {
    Tree tree = take(key);
    if (tree == null || (tree instanceof Tree.Leaf(Object value, _, _) && value == null)) {
      return null; // "key:" with nothing behind it leaves the default, as in Kubernetes
    }
    T result = tree instanceof Tree.Leaf leaf ? read.apply(leaf) : null;
    if (result == null && !(tree instanceof Tree.Leaf leaf && leaf.text().isEmpty())) {
      wrong(key, tree, expected);
    }
    return result;
  }

  private @Nullable Tree take(String key) {
    asked.add(key);
    return branch.entries().get(key);
  }

  private void wrong(String key, Tree tree, String expected) {
    problem(tree, pathOf(key), "expected " + expected + ", found " + tree.shown());
  }

  private void problem(@Nullable Tree tree, String where, String what) {
    problems.add((tree == null ? branch : tree).origin() + ": " + where + ": " + what);
  }

  private String pathOf(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private Map<String, Object> plainMap(Tree.Branch from, String at) {
    Map<String, Object> result = new LinkedHashMap<>();
    from.entries()
        .forEach((key, tree) -> {
          Object value = plainValue(tree, at + "." + key);
          if (value != null) {
            result.put(key, value);
          }
        });
    return Map.copyOf(result);
  }

  private @Nullable Object plainValue(Tree tree, String at) {
    return switch (tree) {
      case Tree.Branch map -> plainMap(map, at);
      case Tree.Items(List<Tree> items, _) -> {
        List<Object> list = new ArrayList<>();
        for (Tree item : items) {
          Object value = plainValue(item, at);
          if (value != null) {
            list.add(value);
          }
        }
        yield List.copyOf(list);
      }
      case Tree.Leaf(Object value, _, _) -> value;
    };
  }

  /** Turns {@code MAX_OF} into {@code maxOf}. */
  private static String word(String constant) {
    StringBuilder word = new StringBuilder();
    for (String part : constant.toLowerCase(Locale.ROOT).split("_", -1)) {
      word.append(
          word.isEmpty()
              ? part
              : part.substring(0, 1).toUpperCase(Locale.ROOT) + part.substring(1));
    }
    return word.toString();
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
