// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The words and flags of one call, parsed as kubectl does: {@code --name value}, {@code
 * --name=value}, {@code -n value}, {@code -nvalue}, {@code -n=value}, {@code -Aw}, {@code
 * --alone=false}; words and flags in any order, and only words after {@code --}.
 */
public final class Arguments {

  private final Map<String, List<String>> values = new HashMap<>();
  private final List<String> words = new ArrayList<>();
  private final List<Flag> flags;

  private Arguments(List<Flag> flags) {
    this.flags = flags;
  }

  /**
   * Parses arguments.
   *
   * @throws CommandException for an unknown or repeated flag, or one without its value
   */
  public static Arguments parse(List<String> arguments, List<Flag> flags) {
    Arguments parsed = new Arguments(flags);
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      if (argument.equals("--")) {
        rest.forEachRemaining(parsed.words::add);
      } else if (argument.startsWith("--")) {
        parsed.longForm(argument, rest);
      } else if (argument.startsWith("-") && argument.length() > 1) {
        parsed.letters(argument, rest);
      } else {
        parsed.words.add(argument);
      }
    }
    return parsed;
  }

  private void longForm(String argument, Iterator<String> rest) {
    String[] parts = argument.split("=", 2);
    for (Flag flag : flags) {
      if (flag.name().equals(parts[0])) {
        take(flag, parts[0], parts.length == 1 ? null : parts[1], rest);
        return;
      }
    }
    throw unknown(parts[0]);
  }

  private CommandException unknown(String flag) {
    return new CommandException(
        "unknown flag %s, %s"
            .formatted(flag, Suggestions.of(flag, flags.stream().map(Flag::name).toList())));
  }

  private void letters(String argument, Iterator<String> rest) {
    for (int i = 1; i < argument.length(); i++) {
      Flag flag = withLetter(argument.charAt(i), argument);
      String more = argument.substring(i + 1);
      boolean assigned = more.startsWith("=");
      if (assigned || !flag.standsAlone()) {
        String value = assigned ? more.substring(1) : more.isEmpty() ? null : more;
        take(flag, "-" + flag.letter(), value, rest);
        return;
      }
      take(flag, "-" + flag.letter(), null, rest);
    }
  }

  private Flag withLetter(char letter, String argument) {
    for (Flag flag : flags) {
      if (flag.letter() == letter) {
        return flag;
      }
    }
    List<String> known =
        flags.stream().filter(f -> f.letter() != 0).map(f -> "-" + f.letter()).sorted().toList();
    if (known.isEmpty()) {
      throw unknown(argument);
    }
    if (letter == 'l') {
      throw new CommandException(
          "unknown flag -l: only get items, dump and bulk changes select by labels");
    }
    throw new CommandException(
        "unknown flag -%s%s, known: %s"
            .formatted(
                letter, argument.length() > 2 ? " in " + argument : "", String.join(", ", known)));
  }

  private void take(Flag flag, String written, @Nullable String given, Iterator<String> rest) {
    String value = given != null ? given : flag.standsAlone() ? "true" : null;
    if (value == null) {
      if (!rest.hasNext()) {
        throw new CommandException("flag " + written + " needs a value: " + flag.value());
      }
      value = rest.next();
    } else if (flag.standsAlone() && !value.equals("true") && !value.equals("false")) {
      throw new CommandException(
          "flag %s: expected true or false, found \"%s\"".formatted(written, value));
    }
    List<String> all = values.computeIfAbsent(flag.name(), _ -> new ArrayList<>());
    if (!all.isEmpty() && !flag.repeatable()) {
      throw new CommandException("flag " + flag.name() + " is given more than once");
    }
    all.add(value);
  }

  /** Returns the arguments that are not flags. */
  public List<String> words() {
    return words;
  }

  /**
   * Refuses arguments that are not flags.
   *
   * @param help the command that shows the help
   */
  public Arguments noWords(String help) {
    if (!words.isEmpty()) {
      throw new CommandException(
          "unexpected argument \"%s\"; see %s".formatted(words.getFirst(), help));
    }
    return this;
  }

  public boolean has(Flag flag) {
    return values.containsKey(flag.name());
  }

  /** Returns the values of a flag in their order. */
  public List<String> all(Flag flag) {
    return values.getOrDefault(flag.name(), List.of());
  }

  /** Returns the value of a flag, or null when it was not given. */
  public @Nullable String value(Flag flag) {
    return has(flag) ? all(flag).getFirst() : null;
  }

  public String value(Flag flag, String otherwise) {
    return has(flag) ? all(flag).getFirst() : otherwise;
  }

  /** Returns whether a flag without a value is set, and not to false. */
  public boolean on(Flag flag) {
    return value(flag, "false").equals("true");
  }

  /**
   * Returns the number in a flag.
   *
   * @throws CommandException unless it is from {@code least} to {@code most}
   */
  public long number(Flag flag, long otherwise, long least, long most) {
    String text = value(flag);
    if (text == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below, together with numbers out of bounds
    }
    throw new CommandException(
        "flag %s: expected a number from %s to %s, found \"%s\""
            .formatted(flag.name(), least, most, text));
  }

  /**
   * Returns the duration in a flag.
   *
   * @throws CommandException unless it is positive
   */
  public Duration duration(Flag flag, Duration otherwise) {
    String text = value(flag);
    if (text == null) {
      return otherwise;
    }
    return Durations.parse(text)
        .filter(Duration::isPositive)
        .orElseThrow(() ->
            new CommandException(
                "flag %s: expected a duration such as 30s or 10m, found \"%s\""
                    .formatted(flag.name(), text)));
  }

  /**
   * Returns the value of a flag, or an empty text when it is not given.
   *
   * @throws CommandException unless it is one of the choices
   */
  public String choice(Flag flag) {
    String text = value(flag, "");
    if (!text.isEmpty() && !flag.choices().contains(text)) {
      throw new CommandException(
          "flag %s: unknown value \"%s\", %s"
              .formatted(flag.name(), text, Suggestions.of(text, flag.choices())));
    }
    return text;
  }

  /** Adds the value of a flag, if given, to the parameters of a request. */
  public void put(Map<String, String> parameters, String name, Flag flag) {
    String text = value(flag);
    if (text != null) {
      parameters.put(name, text);
    }
  }
}
