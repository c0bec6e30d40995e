// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config.reader;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A parsed configuration, not yet checked; each node has its origin. */
public sealed interface Tree {

  /** Returns the origin: a file with a line, a variable or a flag. */
  String origin();

  /** Returns the form for messages. */
  String shown();

  /** Returns this as maps, lists, strings, numbers and booleans; null for nothing. */
  @Nullable Object plain();

  /** A map in the order of the file; mutable for overrides. */
  record Branch(Map<String, Tree> entries, String origin) implements Tree {
    public static Branch empty(String origin) {
      return new Branch(new LinkedHashMap<>(), origin);
    }

    @Override
    public String shown() {
      return "a map";
    }

    @Override
    public Map<String, Object> plain() {
      Map<String, Object> result = new LinkedHashMap<>();
      entries.forEach((key, tree) -> {
        Object value = tree.plain();
        if (value != null) {
          result.put(key, value);
        }
      });
      return Map.copyOf(result);
    }
  }

  /** A list. */
  record Items(List<Tree> items, String origin) implements Tree {
    @Override
    public String shown() {
      return "a list";
    }

    @Override
    public List<Object> plain() {
      List<Object> result = new ArrayList<>();
      for (Tree item : items) {
        Object value = item.plain();
        if (value != null) {
          result.add(value);
        }
      }
      return List.copyOf(result);
    }
  }

  /**
   * A single value.
   *
   * @param value the value in YAML: a string, a number, a boolean or null
   * @param text the original text
   */
  record Leaf(@Nullable Object value, String text, String origin) implements Tree {
    @Override
    public String shown() {
      return value == null ? "nothing" : "\"" + text + "\"";
    }

    @Override
    public @Nullable Object plain() {
      return value;
    }
  }
}
