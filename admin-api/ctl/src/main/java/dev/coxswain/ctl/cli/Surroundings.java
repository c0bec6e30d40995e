// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a command has around it; tests put something else here.
 *
 * @param in what a person types
 * @param out results
 * @param err everything else: questions, progress, warnings, errors
 * @param interactive whether somebody sits there to answer
 * @param environment the variables of the process
 * @param clock what time it is
 * @param pause waits, on the calling thread
 */
public record Surroundings(
    BufferedReader in,
    Results out,
    PrintStream err,
    boolean interactive,
    Map<String, String> environment,
    Clock clock,
    Pause pause) {

  /** Waits. */
  public @FunctionalInterface interface Pause {
    void of(Duration time) throws InterruptedException;

    /** Really waits; an interrupt is the wish to end. */
    static Pause real() {
      return time -> TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }
  }

  /** Returns a variable, or null when it is not set or empty. */
  public @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Tells people something, each line marked with its kind. */
  public void tell(String kind, String message) {
    out.flush();
    message.lines().forEach(line -> err.println(kind + ": " + clean(line)));
    err.flush();
  }

  public void warn(String message) {
    tell("warning", message);
  }

  /** Tells people something that names itself. */
  public void complain(String message) {
    out.flush();
    message.lines().forEach(line -> err.println(clean(line)));
    err.flush();
  }

  /** Writes a result, which may be kept back until {@link #deliver}. */
  public void print(String text) {
    out.print(text);
  }

  /** Hands over what was printed; when nobody reads it any more there is nothing left to do. */
  public void deliver() {
    out.deliver();
  }

  /**
   * Asks a question on the standard error and returns the line that is typed; empty at the end of
   * the input.
   */
  public String ask(String question) {
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
      throw new CtlException(ExitCode.ABORTED, "interrupted");
    }
  }

  /** Returns a text that cannot move the cursor or colour a terminal, in one line. */
  public static String clean(String text) {
    if (text.chars().noneMatch(Surroundings::controls)) {
      return text;
    }
    StringBuilder cleaned = new StringBuilder(text.length());
    text.chars().forEach(c -> cleaned.append(controls(c) ? ' ' : (char) c));
    return cleaned.toString();
  }

  private static boolean controls(int c) {
    // Directions of writing as well: they make one text look like another.
    return Character.isISOControl(c)
        || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069)
        || c == 0x2028
        || c == 0x2029;
  }
}
