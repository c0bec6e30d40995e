// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import com.google.gson.GsonBuilder;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.config.reader.KeyRule;
import dev.coxswain.host.internal.config.reader.Overrides;
import dev.coxswain.host.internal.config.reader.Section;
import dev.coxswain.host.internal.config.reader.Tree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every key of the configuration: what it accepts, as the reader of the configuration reads it, with the default and the
 * text of the file of defaults.
 *
 * <p>Thread rule: immutable.
 */
public final class KeyReference {

  private static final String NAME = "NAME";
  private static final int WIDTH = 100;

  /** The keys whose changes apply without a restart. */
  private static final Set<String> RELOADED =
      Set.of(
          "logging.level",
          "logging.levels.NAME",
          "kubernetes.watchNamespaces",
          "kubernetes.watchNamespaceSelector",
          "controllers.NAME.watchNamespaces",
          "controllers.NAME.concurrency",
          "limiters.NAME.rate",
          "limiters.NAME.burst",
          "limiters.NAME.maxRate",
          "limiters.NAME.maxBurst");

  private final Map<String, Key> keys;
  private final Map<String, KeyRule> rules;

  /**
   * One key.
   *
   * @param path its path, with {@code NAME} for a name that the user chooses
   * @param expected what it accepts
   * @param defaultValue the default as in YAML, empty for none
   * @param text its meaning, empty when its name says it
   * @param children the keys in it
   */
  public record Key(
      String path, String expected, String defaultValue, String text, List<String> children) {

    /** Returns the environment variable that sets it; empty for a map, and when none can. */
    public String variable() {
      return children.isEmpty() ? Overrides.variable(List.of(path.split("\\.", -1)), NAME) : "";
    }
  }

  /**
   * Returns whether a change of a key applies without a restart.
   *
   * @param path its path, with {@code NAME} for a name that the user chooses
   */
  public static boolean isReloaded(String path) {
    return RELOADED.contains(path);
  }

  private KeyReference(Map<String, Key> keys, Map<String, KeyRule> rules) {
    this.keys = keys;
    this.rules = rules;
  }

  /**
   * Returns the reference of this build.
   *
   * @param defaults the file of defaults
   */
  public static KeyReference of(String defaults) {
    DefaultsReader texts = DefaultsReader.read(defaults);
    Map<String, KeyRule> rules = new LinkedHashMap<>();
    Tree.Branch root = Tree.Branch.empty("reference");
    // One entry for each map of names, so that what is in it is read as well.
    for (String[] named :
        new String[][] {
          {"controllers"}, {"limiters"}, {"logging", "levels"}, {"kubernetes", "clusters"}
        }) {
      Tree.Branch at = root;
      for (String part : named) {
        at = branch(at, part);
      }
      branch(at, "name");
    }
    ConfigurationLoader.read(
        new Section(root, "", new ArrayList<>(), (path, rule) -> put(rules, path, rule)), Map.of());
    rules.remove("apiVersion");
    rules.remove("kind");
    List<String> order = texts.order();
    List<String> paths = new ArrayList<>(rules.keySet());
    paths.sort(Comparator.comparingInt(path -> order.indexOf(path.split("\\.", 2)[0])));
    Map<String, Key> keys = new LinkedHashMap<>();
    for (String path : paths) {
      KeyRule rule = Objects.requireNonNull(rules.get(path));
      List<String> children =
          rules.keySet().stream().filter(one -> parent(one).equals(path)).toList();
      DefaultsReader.Entry entry = texts.of(path);
      String value = children.isEmpty() ? entry.value() : "";
      keys.put(path, new Key(path, rule.expected(), value, entry.text(), children));
    }
    return new KeyReference(keys, rules);
  }

  private static Tree.Branch branch(Tree.Branch in, String key) {
    return (Tree.Branch) in.entries().computeIfAbsent(key, _ -> Tree.Branch.empty("reference"));
  }

  private static void put(Map<String, KeyRule> rules, String path, KeyRule rule) {
    String named = path;
    for (String parent :
        List.of("controllers.", "limiters.", "logging.levels.", "kubernetes.clusters.")) {
      if (path.startsWith(parent + "name")) {
        named = parent + NAME + path.substring(parent.length() + "name".length());
      }
    }
    // A map of names is read as a section before.
    if (rule.parent() == KeyRule.Parent.NAMED || !rules.containsKey(named)) {
      rules.put(named, rule);
    }
  }

  private static String parent(String path) {
    int dot = path.lastIndexOf('.');
    return dot < 0 ? "" : path.substring(0, dot);
  }

  /** Returns all keys, each map before the keys in it. */
  public List<Key> keys() {
    return List.copyOf(keys.values());
  }

  /**
   * Returns the description of a key for a terminal.
   *
   * @param path its path; a name that the user chooses may be any; empty for the top
   * @throws IllegalArgumentException when there is none, with the nearest
   */
  public String explain(String path) {
    String found = path.isEmpty() ? "" : known(path);
    StringBuilder text = new StringBuilder();
    Key key = keys.get(found);
    if (key != null) {
      text.append("KEY       ").append(key.path()).append('\n');
      text.append("ACCEPTS   ").append(key.expected()).append('\n');
      if (!key.defaultValue().isEmpty()) {
        text.append("DEFAULT   ").append(key.defaultValue()).append('\n');
      }
      if (!key.variable().isEmpty()) {
        text.append("VARIABLE  ").append(key.variable()).append('\n');
      }
      if (key.children().isEmpty()) {
        text.append("RELOADED  ").append(isReloaded(found) ? "yes" : "no").append('\n');
      }
      if (!key.text().isEmpty()) {
        text.append('\n').append(wrapped(key.text()));
      }
    }
    List<String> children =
        key == null
            ? keys.keySet().stream().filter(one -> parent(one).isEmpty()).toList()
            : key.children();
    if (!children.isEmpty()) {
      text.append(key == null ? "KEYS\n" : "\nKEYS\n");
      int width = children.stream().mapToInt(String::length).max().orElse(0);
      for (String child : children) {
        text.append("  %-".concat(width + "s  %s%n").formatted(child, keyOf(child).expected()));
      }
    }
    return text.toString();
  }

  private String known(String path) {
    String at = "";
    for (String part : path.split("\\.", -1)) {
      String next = at.isEmpty() ? part : at + "." + part;
      KeyRule rule = rules.get(at);
      if (rule != null && rule.parent() == KeyRule.Parent.NAMED) {
        next = at + "." + NAME;
      }
      if (!keys.containsKey(next)) {
        if (KeyRule.FREE.equals(rule)) {
          return at; // a part of its own for each controller
        }
        String in = at;
        List<String> siblings =
            keys.keySet().stream()
                .filter(one -> parent(one).equals(in))
                .map(one -> one.substring(one.lastIndexOf('.') + 1))
                .toList();
        throw new IllegalArgumentException(
            "unknown key \"" + next + "\", " + Suggestions.of(part, siblings));
      }
      at = next;
    }
    return at;
  }

  private Key keyOf(String path) {
    return Objects.requireNonNull(keys.get(path));
  }

  private static String wrapped(String text) {
    StringBuilder lines = new StringBuilder();
    int length = 0;
    for (String word : text.split("\\s+", -1)) {
      if (length > 0 && length + 1 + word.length() > WIDTH) {
        lines.append('\n');
        length = 0;
      }
      lines.append(length == 0 ? "" : " ").append(word);
      length += word.length() + (length == 0 ? 0 : 1);
    }
    return lines.append('\n').toString();
  }

  /** Returns a JSON schema of the configuration file, for editors. */
  public String schema() {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    root.put("title", CoxswainConfiguration.KIND + " " + CoxswainConfiguration.API_VERSION);
    root.putAll(object("", null));
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("apiVersion", Map.of("const", CoxswainConfiguration.API_VERSION));
    properties.put("kind", Map.of("const", CoxswainConfiguration.KIND));
    properties.putAll(properties(""));
    root.put("properties", properties);
    root.put("required", List.of("apiVersion", "kind"));
    return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(root) + "\n";
  }

  private Map<String, Object> object(String path, @Nullable KeyRule rule) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("type", "object");
    if (rule != null && rule.parent() == KeyRule.Parent.NAMED) {
      object.put("additionalProperties", schema(path + "." + NAME));
      Object names = rule.schema().get(KeyRule.NAMES);
      if (names != null) {
        object.put(KeyRule.NAMES, names);
      }
    } else {
      object.put("additionalProperties", false);
      object.put("properties", properties(path));
    }
    return object;
  }

  private Map<String, Object> properties(String path) {
    Map<String, Object> properties = new LinkedHashMap<>();
    keys.keySet().stream()
        .filter(one -> parent(one).equals(path))
        .forEach(one -> properties.put(one.substring(one.lastIndexOf('.') + 1), schema(one)));
    return properties;
  }

  private Map<String, Object> schema(String path) {
    KeyRule rule = Objects.requireNonNull(rules.get(path));
    Key key = keyOf(path);
    Map<String, Object> schema = new LinkedHashMap<>();
    if (!key.text().isEmpty()) {
      schema.put("description", key.text());
    }
    if (rule.parent() != KeyRule.Parent.NONE) {
      schema.putAll(object(path, rule));
    } else {
      // An empty value leaves the default.
      schema.put("anyOf", List.of(new TreeMap<>(rule.schema()), Map.of("enum", nothing())));
    }
    return schema;
  }

  private static List<@Nullable String> nothing() {
    List<@Nullable String> values = new ArrayList<>();
    values.add(null);
    values.add("");
    return values;
  }
}
