// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.ctl.Ctl;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.ctl.internal.cli.StandardOutput;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;

/**
 * The command line of {@code coxswain}: runs a command, and prints failures without a stack trace.
 *
 * <p>Thread rule: the main thread.
 */
public final class CommandLine {

  /** The command runs in the background; the process must not end. */
  public static final int STILL_RUNNING = -1;

  public static final int OK = 0;
  public static final int FAILED = 1;
  static final int WRONG_USE = 2;

  /** Stopped, but attempts of reconcilers did not end and were abandoned. */
  static final int ABANDONED = 3;

  /** The training run of {@code warm-up}; internal. */
  public static final String TRAIN = "train";

  /** Prepares the folder of {@code run FILE.java}; internal. */
  public static final String PREPARE_FILE = "prepare-file";

  /** A replica of a development session; internal. */
  public static final String DEV_REPLICA = "dev-replica";

  private static final List<String> COMMANDS =
      List.of(
          "dev", "drill", "run", "ctl", "config", "new", "add", "crd", "rbac", "limiter", "warm-up",
          "dist", "image", "chart", "bundle", "verify", "pods", "version", "help");

  private CommandLine() {}

  /** Runs a command and returns the exit code of the process, or {@link #STILL_RUNNING}. */
  public static int run(List<String> arguments) {
    return run(arguments, StandardOutput.standard(), System.err);
  }

  /** Runs a command with other streams for results and failures. */
  static int run(List<String> arguments, StandardOutput out, PrintStream err) {
    try {
      int exitCode = dispatch(arguments, out, err);
      out.deliver();
      return exitCode;
    } catch (StandardOutput.OutputException e) {
      if (e.unread()) {
        return ExitCode.UNREAD;
      }
      printFailure(e, err);
      return FAILED;
    } catch (ConfigurationException | CommandException e) {
      printFailure(e, err);
      return WRONG_USE;
    } catch (HostException e) {
      printFailure(e, err);
      return FAILED;
    } catch (RuntimeException e) {
      // A bug: the only case with a stack trace.
      err.println("coxswain: internal error, please report it: " + e);
      e.printStackTrace(err);
      return FAILED;
    }
  }

  /** Prints a failure, each line with a prefix. */
  public static void printFailure(Throwable cause) {
    printFailure(cause, System.err);
  }

  private static void printFailure(Throwable cause, PrintStream err) {
    String message = cause.getMessage();
    print(message == null || cause instanceof Error ? cause.toString() : message, err);
  }

  /** Prints lines for the user who waits for a start, each with a prefix. */
  static void printNotice(String text) {
    print(text, System.err);
  }

  private static void print(String text, PrintStream err) {
    text.lines().forEach(line -> err.println("coxswain: " + line));
  }

  private static int dispatch(List<String> arguments, PrintStream out, PrintStream err)
      throws HostException, ConfigurationException {
    if (arguments.isEmpty()) {
      return help("coxswain", err, WRONG_USE);
    }
    String command = arguments.getFirst();
    List<String> rest = arguments.subList(1, arguments.size());
    if (command.equals("ctl")) {
      return Ctl.run(rest); // with commands, help and exit codes of its own
    }
    if (rest.contains("--help") || rest.contains("-h")) {
      if (COMMANDS.contains(command) && !command.equals("help")) {
        return help(command, out, OK);
      }
    }
    return switch (command) {
      case "dev",
          "drill",
          "dist",
          "image",
          "chart",
          "bundle",
          "verify",
          "pods",
          "crd",
          "rbac",
          "new",
          "add",
          TRAIN ->
          DevelopmentJars.command(command).run(rest);
      case "run", DEV_REPLICA -> RunCommand.run(rest, command.equals(DEV_REPLICA));
      case "config" -> ConfigCommand.run(rest, out);
      case "limiter" -> LimiterCommand.run(rest, out);
      case "warm-up" -> WarmUpCommand.run(rest, out);
      case "version", "--version" -> version(rest, out);
      case "help", "--help", "-h" -> help(topic(rest), out, OK);
      default -> throw unknown(command);
    };
  }

  private static int version(List<String> arguments, PrintStream out) {
    Arguments.parse(arguments, List.of()).noWords("coxswain version --help");
    out.println("coxswain " + Version.text() + " (Java " + Runtime.version().feature() + ")");
    return OK;
  }

  /** Returns the topic of the help. */
  private static String topic(List<String> arguments) {
    String word = arguments.isEmpty() ? "help" : arguments.getFirst();
    if (Set.of("help", "--help", "-h").contains(word)) {
      return "coxswain";
    }
    if (!COMMANDS.contains(word)) {
      throw unknown(word);
    }
    return word;
  }

  private static CommandException unknown(String command) {
    return new CommandException(
        "unknown command \"" + command + "\", " + Suggestions.of(command, COMMANDS));
  }

  private static int help(String topic, PrintStream to, int exitCode) {
    if (topic.equals("ctl")) {
      Ctl.help(to);
    } else {
      to.print(Resources.text(Version.class, "help-" + topic + ".txt"));
    }
    return exitCode;
  }
}
