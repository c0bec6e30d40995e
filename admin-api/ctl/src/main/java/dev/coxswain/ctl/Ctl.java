// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.ExitCode;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.ctl.cli.Results;
import dev.coxswain.ctl.cli.Suggestions;
import dev.coxswain.ctl.cli.Surroundings;
import dev.coxswain.ctl.client.ConnectionFlags;
import dev.coxswain.ctl.client.Problem;
import dev.coxswain.ctl.commands.Call;
import dev.coxswain.ctl.commands.Command;
import dev.coxswain.ctl.commands.Commands;
import dev.coxswain.ctl.commands.Selection;
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
  private static final String NAME_VARIABLE = "COXSWAIN_CTL_NAME"; // how it was called

  private Ctl() {}

  /** Runs a command on the process's own streams and returns the exit code of the process. */
  public static int run(List<String> arguments) {
    Surroundings around =
        new Surroundings(
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
            Results.standard(),
            System.err,
            Boolean.getBoolean(
                "coxswain.interactive"), // the launcher looks; Java cannot for one stream
            System.getenv(),
            Clock.systemUTC(),
            Surroundings.Pause.real());
    return run(arguments, around);
  }

  /** Prints what {@code --help} does. */
  public static void help(PrintStream to) {
    to.print(Help.overview(program(System.getenv().getOrDefault(NAME_VARIABLE, ""))));
  }

  /** Runs a command with these surroundings and returns its exit code. */
  static int run(List<String> arguments, Surroundings around) {
    try {
      int exitCode = dispatch(arguments, around);
      around.deliver();
      return exitCode;
    } catch (CtlException e) {
      around.tell("error", String.valueOf(e.getMessage()));
      return e.exitCode();
    } catch (Problem e) {
      around.complain(String.valueOf(e.getMessage()));
      return ExitCode.ERROR;
    } catch (Results.LostException e) {
      if (e.unread()) {
        return ExitCode.UNREAD;
      }
      around.tell("error", String.valueOf(e.getMessage()));
      return ExitCode.ERROR;
    }
  }

  private static int dispatch(List<String> arguments, Surroundings around) {
    String program = program(around.environment().getOrDefault(NAME_VARIABLE, ""));
    int at = commandAt(arguments);
    if (at == arguments.size()) {
      around.print(Help.overview(program));
      return arguments.isEmpty() || asksForHelp(arguments) ? ExitCode.OK : ExitCode.ERROR;
    }
    String name = arguments.get(at);
    List<String> rest = new ArrayList<>(arguments);
    rest.remove(at);
    if (name.equals("help")) {
      Command topic = rest.isEmpty() ? null : command(rest.getFirst(), program);
      around.print(topic == null ? Help.overview(program) : Help.of(topic, program));
      return ExitCode.OK;
    }
    Command command = command(name, program);
    if (asksForHelp(rest)) {
      around.print(Help.of(command, program));
      return ExitCode.OK;
    }
    Arguments parsed = Arguments.parse(rest, command.allFlags());
    try (Call call = new Call(parsed, around)) {
      command.action().run(call);
      return call.exitCode();
    }
  }

  private static String program(String name) {
    return name.isEmpty() ? DEFAULT_PROGRAM : name;
  }

  /** Returns where the command is: kubectl's users write flags before it, too. */
  private static int commandAt(List<String> arguments) {
    int at = 0;
    while (at < arguments.size() && arguments.get(at).startsWith("-")) {
      String argument = arguments.get(at);
      boolean valueFollows = false;
      for (Flag flag : ConnectionFlags.ALL) {
        valueFollows |= !flag.standsAlone() && isExactly(flag, argument);
      }
      at += valueFollows || isExactly(Selection.NAMESPACE, argument) ? 2 : 1;
    }
    return Math.min(at, arguments.size());
  }

  private static boolean isExactly(Flag flag, String argument) {
    return argument.equals(flag.name())
        || (flag.letter() != 0 && argument.equals("-" + flag.letter()));
  }

  private static boolean asksForHelp(List<String> arguments) {
    return arguments.contains(Command.HELP.name()) || arguments.contains("-h");
  }

  private static Command command(String name, String program) {
    @Nullable Command found =
        Commands.ALL.stream()
            .filter(command -> command.name().equals(name))
            .findFirst()
            .orElse(null);
    if (found == null) {
      throw new CtlException(
          "unknown command \""
              + name
              + "\" for \""
              + program
              + "\", "
              + Suggestions.of(name, Commands.ALL.stream().map(Command::name).toList()));
    }
    return found;
  }
}
