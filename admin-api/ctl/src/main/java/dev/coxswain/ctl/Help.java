// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.ctl.internal.commands.Commands;
import dev.coxswain.ctl.internal.context.Command;
import java.util.List;

/**
 * The output of {@code --help}: prose and examples from a resource file, flags from the command.
 */
final class Help {

  private static final String PROGRAM = "PROGRAM"; // placeholder for the name of the program

  private Help() {}

  /** Returns the overview: all commands and the flags that they share. */
  static String overview(String program) {
    StringBuilder text = new StringBuilder(prose("overview", program)).append("\nCommands:\n");
    int width = Commands.ALL.stream().mapToInt(command -> command.name().length()).max().orElse(0);
    for (Command command : Commands.ALL) {
      text.append("  ")
          .append(command.name())
          .repeat(' ', width - command.name().length() + 3)
          .append(command.summary())
          .append('\n');
    }
    return text.append("\nUse \"")
        .append(program)
        .append(" COMMAND --help\" for the help of a command.\n\nFlags of every command:\n")
        .append(flags(Command.everywhere()))
        .toString();
  }

  /** Returns the help of one command. */
  static String of(Command command, String program) {
    return prose(command.name(), program)
        + "\nUsage:\n  "
        + program
        + " "
        + command.name()
        + (command.usage().isEmpty() ? "" : " " + command.usage())
        + " [flags]\n\nFlags:\n"
        + flags(command.flags())
        + "\nUse \""
        + program
        + " --help\" for the flags of every command, such as the address of the admin API.\n";
  }

  private static String flags(List<Flag> flags) {
    List<String> forms = flags.stream().map(Help::form).toList();
    int width = forms.stream().mapToInt(String::length).max().orElse(0);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < flags.size(); i++) {
      text.append(forms.get(i))
          .repeat(' ', width - forms.get(i).length() + 3)
          .append(flags.get(i).help())
          .append('\n');
    }
    return text.toString();
  }

  private static String form(Flag flag) {
    return (flag.letter() == 0 ? "      " : "  -" + flag.letter() + ", ")
        + flag.name()
        + (flag.standsAlone() ? "" : " " + flag.value());
  }

  private static String prose(String topic, String program) {
    return Resources.text(Help.class, "help-" + topic + ".txt").replace(PROGRAM, program);
  }
}
