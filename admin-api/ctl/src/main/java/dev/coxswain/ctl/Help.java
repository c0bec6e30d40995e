// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Resources;
import dev.coxswain.ctl.client.ConnectionFlags;
import dev.coxswain.ctl.commands.Command;
import dev.coxswain.ctl.commands.Commands;
import java.util.List;

/**
 * What {@code --help} prints: prose and examples from a file, the flags from the command itself.
 */
final class Help {

  private static final String PROGRAM = "PROGRAM"; // stands for how the program was called

  private Help() {}

  /** Returns the list of commands. */
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
        .append(" COMMAND --help\" for more about a command.\n\nFlags of every command:\n")
        .append(flags(ConnectionFlags.ALL))
        .toString();
  }

  /** Returns all about a command. */
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
        + " --help\" for the flags of every command, which say where the admin API is.\n";
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
