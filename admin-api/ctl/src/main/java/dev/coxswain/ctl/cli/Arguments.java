// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The words and flags of one call, parsed as kubectl does: {@code --name value}, {@code
 * --name=value}, {@code -n value}, {@code -nvalue}, {@code -n=value}, {@code -Aw}, {@code
 * --alone=false}; words and flags in any order, and only words after {@code --}.
 */
public final class Arguments {

  private final Map<String, String> values = new HashMap<>();
  private final List<String> words = new ArrayList<>();
  private final List<Flag> flags;

  private Arguments(List<Flag> flags) {
    this.flags = flags;
  }

  /**
   * Parses arguments.
   *
   * @throws CtlException for an unknown or repeated flag, or one without its value
   */
  public static Arguments parse(List<String> arguments, List<Flag> flags) {
    Arguments parsed = new Arguments(flags);
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      @Nullable String next = i + 1 < arguments.size() ? arguments.get(i + 1) : null;
      boolean tookNext = false;
      if (argument.equals("--")) {
        parsed.words.addAll(arguments.subList(i + 1, arguments.size()));
        break;
      } else if (argument.startsWith("--")) {
        tookNext = parsed.longForm(argument, next);
      } else if (argument.startsWith("-") && argument.length() > 1) {
        tookNext = parsed.letters(argument, next);
      } else {
        parsed.words.add(argument);
      }
      if (tookNext) {
        i++;
      }
    }
    return parsed;
  }

  private boolean longForm(String argument, @Nullable String next) {
    int equals = argument.indexOf('=');
    String name = equals < 0 ? argument : argument.substring(0, equals);
    for (Flag flag : flags) {
      if (flag.name().equals(name)) {
        return take(flag, name, equals < 0 ? null : argument.substring(equals + 1), next);
      }
    }
    throw new CtlException(
        "unknown flag "
            + name
            + ", "
            + Suggestions.of(name, flags.stream().map(Flag::name).toList()));
  }

  private boolean letters(String argument, @Nullable String next) {
    for (int i = 1; i < argument.length(); i++) {
      Flag flag = withLetter(argument.charAt(i), argument);
      String rest = argument.substring(i + 1);
      if (!flag.standsAlone()) {
        String value = rest.startsWith("=") ? rest.substring(1) : rest.isEmpty() ? null : rest;
        return take(flag, "-" + flag.letter(), value, next);
      }
      if (rest.startsWith("=")) {
        return take(flag, "-" + flag.letter(), rest.substring(1), next);
      }
      take(flag, "-" + flag.letter(), null, null);
    }
    return false;
  }

  private Flag withLetter(char letter, String argument) {
    for (Flag flag : flags) {
      if (flag.letter() == letter) {
        return flag;
      }
    }
    if (letter == 'l') {
      throw new CtlException(
          "unknown flag -l: only get items, dump and bulk changes select by labels");
    }
    throw new CtlException(
        "unknown flag -"
            + letter
            + (argument.length() > 2 ? " in " + argument : "")
            + ", known: "
            + String.join(
                ", ",
                flags.stream()
                    .filter(flag -> flag.letter() != 0)
                    .map(flag -> "-" + flag.letter())
                    .sorted()
                    .toList()));
  }

  /** Stores a flag and returns whether its value was the next argument. */
  private boolean take(Flag flag, String written, @Nullable String value, @Nullable String next) {
    boolean tookNext = false;
    String taken = value;
    if (flag.standsAlone()) {
      if (taken == null) {
        taken = "true";
      } else if (!taken.equals("true") && !taken.equals("false")) {
        throw new CtlException(
            "flag " + written + ": expected true or false, found \"" + taken + "\"");
      }
    } else if (taken == null) {
      if (next == null) {
        throw new CtlException("flag " + written + " needs a value: " + flag.value());
      }
      taken = next;
      tookNext = true;
    }
    if (values.putIfAbsent(flag.name(), taken) != null) {
      throw new CtlException("flag " + flag.name() + " is given more than once");
    }
    return tookNext;
  }

  /** Returns the arguments that are not flags. */
  public List<String> words() {
    return words;
  }

  public boolean has(Flag flag) {
    return values.containsKey(flag.name());
  }

  /** Returns the value of a flag, or null when it was not given. */
  public @Nullable String value(Flag flag) {
    return values.get(flag.name());
  }

  public String value(Flag flag, String otherwise) {
    return values.getOrDefault(flag.name(), otherwise);
  }

  /** Returns whether a flag without a value is set, and not to false. */
  public boolean on(Flag flag) {
    return value(flag, "false").equals("true");
  }

  /**
   * Returns the number in a flag.
   *
   * @throws CtlException unless it is from {@code least} to {@code most}
   */
  public long number(Flag flag, long otherwise, long least, long most) {
    String text = values.get(flag.name());
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
    throw new CtlException(
        "flag "
            + flag.name()
            + ": expected a number from "
            + least
            + " to "
            + most
            + ", found \""
            + text
            + "\"");
  }

  /**
   * Returns the duration in a flag.
   *
   * @throws CtlException unless it is positive
   */
  public Duration duration(Flag flag, Duration otherwise) {
    String text = value(flag);
    if (text == null) {
      return otherwise;
    }
    return Durations.parse(text)
        .filter(Duration::isPositive)
        .orElseThrow(() ->
            new CtlException(
                "flag "
                    + flag.name()
                    + ": expected a duration such as 30s or 10m, found \""
                    + text
                    + "\""));
  }

  /**
   * Returns the value of a flag, or an empty text when it is not given.
   *
   * @throws CtlException unless it is one of the choices
   */
  public String choice(Flag flag) {
    String text = value(flag, "");
    if (!text.isEmpty() && !flag.choices().contains(text)) {
      throw new CtlException(
          "flag "
              + flag.name()
              + ": unknown value \""
              + text
              + "\", "
              + Suggestions.of(text, flag.choices()));
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
