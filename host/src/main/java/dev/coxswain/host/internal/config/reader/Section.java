// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

import static java.util.Objects.requireNonNullElse;

import dev.coxswain.ctl.internal.cli.Durations;
import dev.coxswain.ctl.internal.cli.Suggestions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reader of one map of the configuration, which collects its faults. A key that was not read before
 * {@link #end} is unknown.
 */
public final class Section {

  /** A name of Kubernetes without dots. */
  public static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  private final Tree.Branch branch;
  private final String path;
  private final List<String> problems;
  private final KeyListener keys;
  private final Set<String> readKeys = new LinkedHashSet<>();

  public Section(Tree.Branch branch, String path, List<String> problems) {
    this(branch, path, problems, KeyListener.NONE);
  }

  /**
   * Creates one that also passes on what each key accepts and has, when it is read.
   *
   * @param keys receives each key
   */
  public Section(Tree.Branch branch, String path, List<String> problems, KeyListener keys) {
    this.branch = branch;
    this.path = path;
    this.problems = problems;
    this.keys = keys;
  }

  /** Returns the section under a key; an empty one when there is none. */
  public Section section(String key) {
    keys.rule(pathOf(key), KeyRule.SECTION);
    return new Section(map(key), pathOf(key), problems, keys);
  }

  /** Returns the result of {@code read} on the section under a key. */
  public <T extends @Nullable Object> T section(String key, Function<Section, T> read) {
    Section section = section(key);
    T result = read.apply(section);
    section.end();
    return result;
  }

  /** Returns the result of {@code read} on each entry of this section, by name. */
  public <T> Map<String, T> each(Pattern names, String expected, Function<Section, T> read) {
    keys.rule(path, KeyRule.named(names));
    Map<String, T> result = new LinkedHashMap<>();
    for (String name : List.copyOf(branch.entries().keySet())) {
      if (!names.matcher(name).matches()) {
        readKeys.add(name);
        problem(branch.entries().get(name), pathOf(name), "\"" + name + "\" is not " + expected);
        continue;
      }
      result.put(name, section(name, read));
    }
    return result;
  }

  /** Returns the origin of this section: file and line, variable or flag. */
  public String origin() {
    return branch.origin();
  }

  /**
   * Returns the keys of this section, which are names that the user chooses.
   *
   * @param form the form of a name, for the schema; they are not checked
   */
  public List<String> names(Pattern form) {
    keys.rule(path, KeyRule.named(form));
    return List.copyOf(branch.entries().keySet());
  }

  /** Returns any text, or null when there is none. */
  public @Nullable String text(String key) {
    return leaf(key, KeyRule.TEXT, leaf -> leaf.text().isEmpty() ? null : leaf.text());
  }

  /** Returns text of a form, or null when there is none. */
  public @Nullable String text(String key, Pattern form, String expected) {
    return leaf(
        key,
        KeyRule.text(form, expected),
        leaf -> form.matcher(leaf.text()).matches() ? leaf.text() : null);
  }

  /** Returns text of a form. */
  public String text(String key, Pattern form, String expected, String otherwise) {
    return orDefault(key, text(key, form, expected), otherwise);
  }

  /** Returns the namespace, {@code default} when there is none. */
  public String namespace() {
    return text("namespace", DNS_LABEL, "a namespace", "default");
  }

  /** Returns a whole number within bounds, or null when there is none. */
  public @Nullable Integer integer(String key, int min, int max) {
    return leaf(
        key,
        KeyRule.integer(min, max),
        leaf ->
            leaf.value() instanceof Integer number && number >= min && number <= max
                ? number
                : null);
  }

  /** Returns a power of two of at most {@code max}. */
  public int powerOfTwo(String key, int max, int otherwise) {
    Integer found =
        leaf(
            key,
            KeyRule.powerOfTwo(max),
            leaf ->
                leaf.value() instanceof Integer number
                        && number >= 1
                        && number <= max
                        && Integer.bitCount(number) == 1
                    ? number
                    : null);
    return orDefault(key, found, otherwise);
  }

  /** Returns a whole number within bounds. */
  public int integer(String key, int min, int max, int otherwise) {
    return orDefault(key, integer(key, min, max), otherwise);
  }

  /** Returns a number within bounds, or null when there is none. */
  public @Nullable Double number(String key, double min, double max) {
    return leaf(
        key,
        KeyRule.number(min, max),
        leaf ->
            leaf.value() instanceof Number number
                    && number.doubleValue() >= min
                    && number.doubleValue() <= max
                ? Double.valueOf(number.doubleValue())
                : null);
  }

  /** Returns a number within bounds. */
  public double number(String key, double min, double max, double otherwise) {
    return orDefault(key, number(key, min, max), otherwise);
  }

  /** Returns true or false, or null when there is none. */
  public @Nullable Boolean flag(String key) {
    return leaf(key, KeyRule.FLAG, leaf -> leaf.value() instanceof Boolean flag ? flag : null);
  }

  /** Returns true or false. */
  public boolean flag(String key, boolean otherwise) {
    return orDefault(key, flag(key), otherwise);
  }

  /** Returns a duration of at least {@code min}, or null when there is none. */
  public @Nullable Duration duration(String key, Duration min) {
    return leaf(
        key,
        KeyRule.duration(min),
        leaf ->
            Durations.parse(leaf.text()).filter(found -> found.compareTo(min) >= 0).orElse(null));
  }

  /** Returns a duration of at least {@code min}. */
  public Duration duration(String key, Duration min, Duration otherwise) {
    return orDefault(key, duration(key, min), otherwise);
  }

  /** Returns a constant, written in camel case, or null when there is none. */
  public <E extends Enum<E>> @Nullable E oneOf(String key, Class<E> type) {
    return oneOf(
        key, List.of(type.getEnumConstants()), constant -> Overrides.camel(constant.name()));
  }

  /** Returns a constant, written in camel case. */
  public <E extends Enum<E>> E oneOf(String key, E otherwise) {
    return orDefault(key, oneOf(key, otherwise.getDeclaringClass()), otherwise);
  }

  /** Returns the value of a word, or null when there is none. */
  public <T> @Nullable T oneOf(String key, List<T> values, Function<T, String> word) {
    List<String> words = values.stream().map(word).toList();
    return leaf(
        key,
        KeyRule.word(words),
        leaf -> {
          int index = words.indexOf(leaf.text());
          return index < 0 ? null : values.get(index);
        });
  }

  /** Returns the result of {@code read} on each map of a list, or an empty list. */
  public <T> List<T> items(String key, Function<Section, T> read) {
    Tree tree = take(key);
    List<T> result = new ArrayList<>();
    if (tree instanceof Tree.Items(List<Tree> items, _)) {
      for (int i = 0; i < items.size(); i++) {
        if (items.get(i) instanceof Tree.Branch item) {
          Section section = new Section(item, pathOf(key) + "[" + i + "]", problems, keys);
          result.add(read.apply(section));
          section.end();
        } else {
          wrong(key, items.get(i), "a list of maps");
        }
      }
    } else if (tree != null) {
      wrong(key, tree, "a list of maps");
    }
    return result;
  }

  /** Returns a list of texts of a form, or an empty one when there is none. */
  public List<String> texts(String key, Pattern form, String expected, int most) {
    KeyRule rule = KeyRule.texts(form, expected, most);
    keys.rule(pathOf(key), rule);
    Tree tree = take(key);
    if (tree == null) {
      keys.value(pathOf(key), List.of());
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
      wrong(key, tree, rule.expected());
    }
    keys.value(pathOf(key), List.copyOf(result));
    return result;
  }

  /** Returns the value of a key, as maps, lists, strings, numbers and booleans. */
  public Map<String, Object> free(String key) {
    keys.rule(pathOf(key), KeyRule.FREE);
    Map<String, Object> value = map(key).plain();
    keys.value(pathOf(key), value);
    return value;
  }

  /** Reports a contradiction between several values. */
  public void fault(String key, String expected) {
    problem(branch.entries().get(key), pathOf(key), "expected " + expected);
  }

  /** Returns whether a nested key has a value. */
  public boolean has(String... keys) {
    return nearest(keys).size() == keys.length;
  }

  /** Reports a fault of a nested key; the origin of a default is the nearest map. */
  public void faultAt(String what, String... keys) {
    List<Tree> found = nearest(keys);
    problem(found.isEmpty() ? branch : found.getLast(), String.join(".", keys), what);
  }

  /** Returns the nodes on the path of a nested key. */
  private List<Tree> nearest(String... keys) {
    List<Tree> found = new ArrayList<>();
    Tree at = branch;
    for (String key : keys) {
      at = at instanceof Tree.Branch map ? map.entries().get(key) : null;
      if (at == null) {
        break;
      }
      found.add(at);
    }
    return found;
  }

  /** Reports a refusal of another module, whose message begins with the path of a key. */
  public void refused(IllegalArgumentException refusal) {
    String[] parts = String.valueOf(refusal.getMessage()).split(": ", 2);
    faultAt(parts[parts.length - 1], parts.length == 1 ? new String[0] : parts[0].split("\\.", -1));
  }

  /** Returns whether no fault has been reported so far. */
  public boolean clean() {
    return problems.isEmpty();
  }

  /** Reports the keys that were not read. */
  public void end() {
    branch
        .entries()
        .forEach((key, tree) -> {
          if (!readKeys.contains(key)) {
            problem(tree, pathOf(key), "unknown key, " + Suggestions.of(key, readKeys));
          }
        });
  }

  private <T> T orDefault(String key, @Nullable T found, T otherwise) {
    if (found == null) {
      keys.value(pathOf(key), otherwise);
    }
    return requireNonNullElse(found, otherwise);
  }

  private <T> @Nullable T leaf(String key, KeyRule rule, Function<Tree.Leaf, @Nullable T> read) {
    keys.rule(pathOf(key), rule);
    Tree tree = take(key);
    if (tree == null) {
      return null;
    }
    T result = tree instanceof Tree.Leaf leaf ? read.apply(leaf) : null;
    if (result == null && !(tree instanceof Tree.Leaf leaf && leaf.text().isEmpty())) {
      wrong(key, tree, rule.expected());
    }
    if (result != null) {
      keys.value(pathOf(key), result);
    }
    return result;
  }

  /** An empty value leaves the default, as in Kubernetes. */
  private @Nullable Tree take(String key) {
    readKeys.add(key);
    Tree tree = branch.entries().get(key);
    return tree instanceof Tree.Leaf(Object value, _, _) && value == null ? null : tree;
  }

  private Tree.Branch map(String key) {
    Tree tree = take(key);
    if (tree != null && !(tree instanceof Tree.Branch)) {
      wrong(key, tree, "a map");
    }
    return tree instanceof Tree.Branch found ? found : Tree.Branch.empty(branch.origin());
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
}
