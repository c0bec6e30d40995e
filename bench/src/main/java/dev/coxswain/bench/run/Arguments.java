// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import dev.coxswain.testing.host.Setup;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The options of one benchmark, {@code --name=value}; a flag is an option whose default is {@code
 * false} and needs no value. Immutable.
 */
public final class Arguments {
  /** The value that means all names of a list. */
  public static final String ALL = "all";

  private final Map<String, String> values;

  private Arguments(Map<String, String> values) {
    this.values = Map.copyOf(values);
  }

  /**
   * Reads options.
   *
   * @param defaults all options that there are, with their values
   * @throws IllegalArgumentException for an option that is not among them
   */
  public static Arguments parse(Map<String, String> defaults, List<String> given) {
    Map<String, String> values = new HashMap<>(defaults);
    for (String argument : given) {
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      String key = name.startsWith("--") ? name.substring(2) : "";
      String standard = defaults.get(key);
      if (standard == null || (equals < 0 && !standard.equals("false"))) {
        throw new IllegalArgumentException(
            "unknown argument \"" + argument + "\"; see bench/run --help");
      }
      values.put(key, equals < 0 ? "true" : argument.substring(equals + 1));
    }
    return new Arguments(values);
  }

  /** Returns the value of an option, which must not be empty. */
  public String text(String name) {
    String value = values.getOrDefault(name, "");
    if (value.isEmpty()) {
      throw new IllegalArgumentException("--" + name + "=... is missing");
    }
    return value;
  }

  /** Returns whether a flag is set. */
  public boolean has(String flag) {
    return text(flag).equals("true");
  }

  /** Returns the value of an option that is a number above 0. */
  public int number(String name) {
    return number(name, "0*[1-9]\\d{0,8}", "a number above 0");
  }

  /** Returns the value of an option that is 0 or a number above it. */
  public int numberOrZero(String name) {
    return number(name, "\\d{1,9}", "0 or a number above it");
  }

  private int number(String name, String pattern, String expected) {
    String value = text(name);
    if (!value.matches(pattern)) {
      throw new IllegalArgumentException(
          "--" + name + ": expected " + expected + ", found \"" + value + "\"");
    }
    return Integer.parseInt(value);
  }

  /** Returns the names of an option, with commas between, or all that there are. */
  public List<String> names(String name, List<String> known) {
    String value = text(name);
    List<String> names = value.equals(ALL) ? known : List.of(value.split(",", -1));
    if (!known.containsAll(names)) {
      throw new IllegalArgumentException(
          "--" + name + ": expected " + ALL + " or some of " + known + ", found " + value);
    }
    return names;
  }

  /** Returns the constants that are named so by an option, in its order. */
  public <E extends Enum<E>> List<E> constants(String name, Class<E> type) {
    List<E> all = List.of(type.getEnumConstants());
    List<String> keys = all.stream().map(Arguments::key).toList();
    return names(name, keys).stream().map(key -> all.get(keys.indexOf(key))).toList();
  }

  /** Returns the name of a constant on the command line. */
  public static String key(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns how replicas are made: {@code app}, {@code out} and {@code lease} are options. */
  public Setup setup(int most, boolean shared, PrintStream out) throws IOException {
    long from = System.nanoTime();
    return new Setup(
        Path.of(text("app")).toAbsolutePath(),
        Files.createDirectories(Path.of(text("out")).toAbsolutePath()),
        most,
        Duration.parse("PT" + text("lease")),
        shared,
        what -> out.printf(Locale.ROOT, "%8.2f %s%n", (System.nanoTime() - from) / 1e9, what));
  }
}
