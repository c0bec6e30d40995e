// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was written, before anybody has looked at what it means; each part knows where from. */
sealed interface Tree {

  /** Returns where this was written: a file with its line, a variable or a flag. */
  String origin();

  /** Returns how this looks in a message. */
  String shown();

  /** Keys and values, in their order; the only part that changes, while overrides are laid on. */
  record Branch(Map<String, Tree> entries, String origin) implements Tree {
    static Branch empty(String origin) {
      return new Branch(new LinkedHashMap<>(), origin);
    }

    @Override
    public String shown() {
      return "a map";
    }
  }

  /** A list. */
  record Items(List<Tree> items, String origin) implements Tree {
    @Override
    public String shown() {
      return "a list";
    }
  }

  /**
   * A single value.
   *
   * @param value as YAML understands it: a string, a number, a boolean or null
   * @param text as it was written
   */
  record Leaf(@Nullable Object value, String text, String origin) implements Tree {
    @Override
    public String shown() {
      return value == null ? "nothing" : "\"" + text + "\"";
    }
  }
}
