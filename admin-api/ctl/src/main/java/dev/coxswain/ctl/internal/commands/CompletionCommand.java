// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.commands;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.completion.FishTemplate;
import dev.coxswain.ctl.internal.context.Command;
import dev.coxswain.ctl.internal.context.CommandContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * {@code completion}: prints a completion script made from the table of commands. The script calls
 * the program for names of objects only.
 */
final class CompletionCommand {

  static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  /** Makes zsh accept scripts for bash. */
  private static final String FOR_ZSH =
      """
      #compdef coxswain coxswain-ctl
      autoload -Uz +X compinit bashcompinit
      (( $+functions[compdef] )) || compinit
      bashcompinit

      """;

  private CompletionCommand() {}

  static void run(CommandContext context) {
    List<String> words = context.words(1, "a shell: completion " + String.join("|", SHELLS));
    String shell = words.getFirst();
    if (words.size() > 1 || !SHELLS.contains(shell)) {
      throw new CommandException(
          "no completion for \"%s\", %s"
              .formatted(String.join(" ", words), Suggestions.of(shell, SHELLS)));
    }
    context.print(
        switch (shell) {
          case "fish" -> FishTemplate.script(Commands.ALL);
          case "zsh" -> FOR_ZSH + script();
          default -> script();
        });
  }

  private static String script() {
    List<String> verbs = new ArrayList<>(Commands.ALL.stream().map(Command::name).toList());
    verbs.add("help");
    StringBuilder words = new StringBuilder();
    StringBuilder flags = new StringBuilder();
    StringBuilder values = new StringBuilder();
    branch(words, "'' | help", verbs);
    branch(flags, "''", forms(Command.everywhere(), _ -> true));
    for (Command command : Commands.ALL) {
      if (!command.words().isEmpty()) {
        branch(words, command.name(), command.words());
      }
      branch(flags, command.name(), forms(command.allFlags(), _ -> true));
      for (Flag flag : command.allFlags()) {
        if (!flag.choices().isEmpty()) {
          String prefix = "'" + command.name() + " ";
          List<String> forms = forms(List.of(flag), _ -> true);
          branch(values, prefix + String.join("' | " + prefix, forms) + "'", flag.choices());
        }
      }
    }
    return Resources.text(CompletionCommand.class, "completion.bash")
        .replace("@WORDS@\n", words)
        .replace("@FLAGS@\n", flags)
        .replace("@VALUES@\n", values)
        .replace("@NAMES@", FishTemplate.commandsWithNames(Commands.ALL, " | "))
        .replace("@NAMED@", ofAll(FishTemplate::hasNames))
        .replace("@TAKES@", ofAll(flag -> !flag.standsAlone()))
        .replace("@FILES@", ofAll(flag -> flag.value().equals("FILE")));
  }

  private static void branch(StringBuilder to, String pattern, List<String> words) {
    to.append("    ")
        .append(pattern)
        .append(") echo '")
        .append(String.join(" ", words))
        .append("' ;;\n");
  }

  private static String ofAll(Predicate<Flag> which) {
    Set<String> forms = new LinkedHashSet<>();
    Commands.ALL.forEach(command -> forms.addAll(forms(command.allFlags(), which)));
    return String.join(" | ", forms);
  }

  /** Returns the forms of flags: long, and with their letter. */
  private static List<String> forms(List<Flag> flags, Predicate<Flag> which) {
    List<String> forms = new ArrayList<>();
    for (Flag flag : flags) {
      if (which.test(flag)) {
        forms.add(flag.name());
        if (flag.letter() != 0) {
          forms.add("-" + flag.letter());
        }
      }
    }
    return forms;
  }
}
