// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.StandardOutput;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.client.ProblemException;
import dev.coxswain.ctl.internal.commands.Commands;
import dev.coxswain.ctl.internal.completion.CompleteCommand;
import dev.coxswain.ctl.internal.context.Command;
import dev.coxswain.ctl.internal.context.CommandContext;
import dev.coxswain.ctl.internal.context.ItemSelector;
import dev.coxswain.ctl.internal.print.Console;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command line of the admin API.
 *
 * <p>Thread rule: the main thread; calls block.
 */
public final class Ctl {

  private static final String DEFAULT_PROGRAM = "coxswain ctl";
  private static final String NAME_VARIABLE = "COXSWAIN_CTL_NAME"; // set by the launcher

  private Ctl() {}

  /** The entry point of the program that has {@code ctl} alone. */
  static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  /** Runs a command on the process's own streams and returns the exit code of the process. */
  public static int run(List<String> arguments) {
    Console console =
        new Console(
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
            StandardOutput.standard(),
            System.err,
            Boolean.getBoolean(
                "coxswain.interactive"), // set by the launcher: Java cannot check a single stream
            System.getenv(),
            Clock.systemUTC(),
            Console.Pause.real());
    return run(arguments, console);
  }

  /** Prints the overview of {@code --help}. */
  public static void help(PrintStream to) {
    to.print(Help.overview(program(System.getenv().getOrDefault(NAME_VARIABLE, ""))));
  }

  /** Runs a command on a console and returns its exit code. */
  static int run(List<String> arguments, Console console) {
    try {
      int exitCode = dispatch(arguments, console);
      console.deliver();
      return exitCode;
    } catch (CommandException e) {
      console.error(String.valueOf(e.getMessage()));
      return e.exitCode();
    } catch (ProblemException e) {
      console.printError(String.valueOf(e.getMessage()));
      return ExitCode.ERROR;
    } catch (StandardOutput.OutputException e) {
      if (e.unread()) {
        return ExitCode.UNREAD;
      }
      console.error(String.valueOf(e.getMessage()));
      return ExitCode.ERROR;
    }
  }

  private static int dispatch(List<String> arguments, Console console) {
    String program = program(console.environment().getOrDefault(NAME_VARIABLE, ""));
    int at = commandAt(arguments);
    if (at == arguments.size()) {
      console.print(Help.overview(program));
      return arguments.isEmpty() || requestsHelp(arguments) ? ExitCode.OK : ExitCode.ERROR;
    }
    String name = arguments.get(at);
    List<String> rest = new ArrayList<>(arguments);
    rest.remove(at);
    if (name.equals("help")) {
      Command topic = rest.isEmpty() ? null : command(rest.getFirst(), program);
      console.print(topic == null ? Help.overview(program) : Help.of(topic, program));
      return ExitCode.OK;
    }
    if (name.equals(CompleteCommand.NAME)) {
      CompleteCommand.run(rest, Commands.ALL, console);
      return ExitCode.OK;
    }
    Command command = command(name, program);
    if (requestsHelp(rest)) {
      console.print(Help.of(command, program));
      return ExitCode.OK;
    }
    Arguments parsed = Arguments.parse(rest, command.allFlags());
    try (CommandContext context = new CommandContext(parsed, console)) {
      command.action().run(context);
      return context.exitCode();
    }
  }

  private static String program(String name) {
    return name.isEmpty() ? DEFAULT_PROGRAM : name;
  }

  /** Returns the index of the command, which flags may precede as with kubectl. */
  private static int commandAt(List<String> arguments) {
    int at = 0;
    while (at < arguments.size() && arguments.get(at).startsWith("-")) {
      String argument = arguments.get(at);
      boolean valueFollows = false;
      for (Flag flag : Command.everywhere()) {
        valueFollows |= !flag.standsAlone() && isExactly(flag, argument);
      }
      at += valueFollows || isExactly(ItemSelector.NAMESPACE, argument) ? 2 : 1;
    }
    return Math.min(at, arguments.size());
  }

  private static boolean isExactly(Flag flag, String argument) {
    return argument.equals(flag.name())
        || (flag.letter() != 0 && argument.equals("-" + flag.letter()));
  }

  private static boolean requestsHelp(List<String> arguments) {
    return arguments.contains(Command.HELP.name()) || arguments.contains("-h");
  }

  private static Command command(String name, String program) {
    @Nullable Command found =
        Commands.ALL.stream()
            .filter(command -> command.name().equals(name))
            .findFirst()
            .orElse(null);
    if (found == null) {
      throw new CommandException(
          "unknown command \"%s\" for \"%s\", %s"
              .formatted(
                  name,
                  program,
                  Suggestions.of(name, Commands.ALL.stream().map(Command::name).toList())));
    }
    return found;
  }
}
