// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.completion;

import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.ctl.internal.context.Command;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The completion script for fish, made from the table of commands. */
public final class FishTemplate {

  private FishTemplate() {}

  /** Returns the commands that have names of objects as words, as patterns of a shell. */
  public static String commandsWithNames(List<Command> commands, String separator) {
    return String.join(
        separator, commands.stream().map(Command::name).filter(CompletedNames::has).toList());
  }

  /** Returns whether the values of a flag are names of objects. */
  public static boolean hasNames(Flag flag) {
    return CompletedNames.hasFlag(flag.name());
  }

  /** Returns the script. */
  public static String script(List<Command> commands) {
    StringBuilder lines = new StringBuilder();
    Set<String> takes = new LinkedHashSet<>();
    for (Command command : commands) {
      line(lines, "__coxswain_verb_is ''", "-a " + command.name(), command.summary());
      if (!command.words().isEmpty()) {
        line(
            lines,
            "__coxswain_first " + command.name(),
            "-a " + quoted(String.join(" ", command.words())),
            "");
      }
      if (CompletedNames.has(command.name())) {
        line(lines, "__coxswain_verb_is " + command.name(), "-a '(__coxswain_names)'", "");
      }
      for (Flag flag : command.flags()) {
        flag(lines, "__coxswain_verb_is " + command.name(), flag);
      }
      command.allFlags().stream()
          .filter(flag -> !flag.standsAlone())
          .forEach(flag -> {
            takes.add(flag.name());
            if (flag.letter() != 0) {
              takes.add("-" + flag.letter());
            }
          });
    }
    Command.everywhere().forEach(flag -> flag(lines, "__coxswain_in_ctl", flag));
    return Resources.text(FishTemplate.class, "completion.fish")
        .replace("@TAKES@", String.join(" ", takes))
        .replace("@LINES@\n", lines);
  }

  private static void flag(StringBuilder to, String when, Flag flag) {
    StringBuilder rest = new StringBuilder("-l ").append(flag.name().substring(2));
    if (flag.letter() != 0) {
      rest.append(" -s ").append(flag.letter());
    }
    if (flag.value().equals("FILE")) {
      rest.append(" -r -F");
    } else if (!flag.standsAlone()) {
      rest.append(" -x");
      if (!flag.choices().isEmpty()) {
        rest.append(" -a ").append(quoted(String.join(" ", flag.choices())));
      } else if (hasNames(flag)) {
        rest.append(" -a '(__coxswain_names)'");
      }
    }
    line(to, when, rest.toString(), flag.help());
  }

  private static void line(StringBuilder to, String when, String what, String description) {
    to.append("complete -c coxswain -n \"").append(when).append("\" ").append(what);
    if (!description.isEmpty()) {
      to.append(" -d ").append(quoted(description));
    }
    to.append('\n');
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
