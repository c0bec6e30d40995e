// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.ctl.cli.Suggestions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The flags of one command: {@code --name value}, {@code --name=value} or {@code --name}.
 *
 * <p>Thread rule: the main thread. Invalid flags are a {@link UsageException}.
 */
public final class Flags {

  private final Map<String, List<String>> values = new HashMap<>();
  private final List<String> words = new ArrayList<>();

  private Flags() {}

  /**
   * Parses arguments.
   *
   * @param withValue the flags that need a value
   * @param alone the flags without a value
   */
  public static Flags parse(List<String> arguments, Set<String> withValue, Set<String> alone) {
    Flags flags = new Flags();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (!argument.startsWith("--")) {
        flags.words.add(argument);
        continue;
      }
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      if (alone.contains(name)) {
        if (equals >= 0) {
          throw new UsageException("flag " + name + " takes no value");
        }
        flags.values.computeIfAbsent(name, _ -> new ArrayList<>()).add("");
      } else if (withValue.contains(name)) {
        if (equals < 0 && i + 1 == arguments.size()) {
          throw new UsageException("flag " + name + " needs a value");
        }
        String value = equals < 0 ? arguments.get(++i) : argument.substring(equals + 1);
        flags.values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
      } else {
        Set<String> allowed = new TreeSet<>(withValue);
        allowed.addAll(alone);
        allowed.removeIf(flag -> flag.equals("--dev-child")); // internal
        throw new UsageException("unknown flag " + name + ", " + Suggestions.of(name, allowed));
      }
    }
    return flags;
  }

  /** Returns the arguments that are not flags. */
  public List<String> words() {
    return List.copyOf(words);
  }

  public boolean has(String name) {
    return values.containsKey(name);
  }

  /** Returns the value of a flag, or null; a repeated flag is refused. */
  public @Nullable String value(String name) {
    List<String> found = all(name);
    if (found.size() > 1) {
      throw new UsageException("flag " + name + " is given more than once");
    }
    return found.isEmpty() ? null : found.getFirst();
  }

  /** Returns all values of a flag. */
  public List<String> all(String name) {
    return List.copyOf(values.getOrDefault(name, List.of()));
  }

  /** Refuses arguments that are not flags. */
  public void noWords(String command) {
    if (!words.isEmpty()) {
      throw new UsageException(
          "unexpected argument \"" + words.getFirst() + "\"; see coxswain " + command + " --help");
    }
  }
}
