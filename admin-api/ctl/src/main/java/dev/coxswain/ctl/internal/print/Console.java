// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.ExitCode;
import dev.coxswain.ctl.internal.cli.StandardOutput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The streams, environment and clock of a command; tests supply their own.
 *
 * @param in the standard input
 * @param out results
 * @param err prompts, progress, warnings and errors
 * @param interactive whether a terminal is attached, so that prompts can be answered
 * @param environment the variables of the process
 * @param clock the current time
 * @param pause blocks the calling thread for a time
 */
public record Console(
    BufferedReader in,
    StandardOutput out,
    PrintStream err,
    boolean interactive,
    Map<String, String> environment,
    Clock clock,
    Pause pause) {

  /** Blocks the calling thread for a time. */
  public @FunctionalInterface interface Pause {
    void of(Duration time) throws InterruptedException;

    /** Sleeps; an interrupt ends the command. */
    static Pause real() {
      return time -> TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }
  }

  /** Returns a variable, or null when it is not set or empty. */
  public @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Prints a note on the standard error. */
  public void note(String message) {
    print("note: ", message);
  }

  /** Prints a warning on the standard error. */
  public void warn(String message) {
    print("warning: ", message);
  }

  /** Prints an error on the standard error. */
  public void error(String message) {
    print("error: ", message);
  }

  /** Prints a message without a prefix on the standard error. */
  public void printError(String message) {
    print("", message);
  }

  private void print(String prefix, String message) {
    out.flush();
    message.lines().forEach(line -> err.println(prefix + clean(line)));
    err.flush();
  }

  /** Prints a result, which may be buffered until {@link #deliver}. */
  public void print(String text) {
    out.print(text);
  }

  /**
   * Flushes the results.
   *
   * @throws StandardOutput.OutputException when they cannot be written
   */
  public void deliver() {
    out.deliver();
  }

  /**
   * Prints a question on the standard error and returns the line that is typed; empty at the end of
   * the input.
   */
  public String prompt(String question) {
    out.flush();
    err.print(question);
    err.flush();
    try {
      String line = in.readLine();
      return line == null ? "" : line.strip();
    } catch (IOException e) {
      return "";
    }
  }

  public void waitFor(Duration time) {
    try {
      pause.of(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.ABORTED, "interrupted");
    }
  }

  /** Returns a text in one line, without control characters of terminals. */
  public static String clean(String text) {
    if (text.chars().noneMatch(Console::controls)) {
      return text;
    }
    StringBuilder cleaned = new StringBuilder(text.length());
    text.chars().forEach(c -> cleaned.append(controls(c) ? ' ' : (char) c));
    return cleaned.toString();
  }

  /** Returns a text without control characters of terminals, but with its lines and tabs. */
  static String cleanLines(String text) {
    StringBuilder cleaned = new StringBuilder(text.length());
    text.chars()
        .forEach(c -> cleaned.append(controls(c) && c != '\n' && c != '\t' ? ' ' : (char) c));
    return cleaned.toString();
  }

  private static boolean controls(int c) {
    // Direction marks as well: they can make one text look like another.
    return Character.isISOControl(c)
        || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069)
        || c == 0x2028
        || c == 0x2029;
  }
}
