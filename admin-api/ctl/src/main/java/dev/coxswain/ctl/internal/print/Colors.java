// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.Flag;
import java.util.List;
import java.util.Set;

/**
 * Colours of states, phases and numbers of failing items in tables: green is well, yellow is held
 * back or changing, red is a failure. Nothing else has a colour, and no information is in the
 * colour alone.
 *
 * <p>Thread rule: immutable.
 */
public final class Colors {

  public static final Flag FLAG =
      Flag.of(
              "--color",
              "WHEN",
              "colours of states in tables: auto (on a terminal without NO_COLOR), always, never")
          .withChoices(List.of("auto", "always", "never"));

  /** No colours at all. */
  static final Colors NONE = new Colors(false);

  private static final String END = "\u001b[0m";
  private static final String GREEN = "\u001b[32m";
  private static final String YELLOW = "\u001b[33m";
  private static final String RED = "\u001b[31m";

  private static final Set<String> COLUMNS = Set.of("STATE", "PHASE", "FAILING");

  private static final Set<String> WELL =
      Set.of("running", "ok", "owned", "current", "Succeeded", "ready", "inFlight", "watching");

  private static final Set<String> HELD =
      Set.of(
          "paused",
          "causesPaused",
          "syncing",
          "starting",
          "standby",
          "draining",
          "free",
          "held",
          "dirty",
          "waitingToken",
          "Running",
          "PartiallySucceeded",
          "Cancelled",
          "stopped",
          "loading",
          "listing");

  private static final Set<String> BAD =
      Set.of(
          "failed",
          "Failed",
          "unowned",
          "orphaned",
          "terminal",
          "overdue",
          "degraded",
          "rejected",
          "timeout",
          "unreachable",
          "refused",
          "gone",
          "error");

  private final boolean on;

  private Colors(boolean on) {
    this.on = on;
  }

  /** Returns the colours for an output, by the flag, {@code NO_COLOR} and whether it is a terminal. */
  public static Colors of(Arguments arguments, Console console) {
    return switch (arguments.choice(FLAG)) {
      case "always" -> new Colors(true);
      case "never" -> NONE;
      default ->
          new Colors(
              console.out().isTerminal()
                  && console.variable("NO_COLOR") == null
                  && !"dumb".equals(console.variable("TERM")));
    };
  }

  /**
   * Returns a cell with its colour.
   *
   * @param column the title of its column
   * @param cell without control characters
   */
  String shown(String column, String cell) {
    if (!on || !COLUMNS.contains(column)) {
      return cell;
    }
    String color = column.equals("FAILING") ? ofNumber(cell) : ofWords(cell.split(",", -1));
    return color.isEmpty() ? cell : color + cell + END;
  }

  private static String ofNumber(String cell) {
    return cell.equals("0") || !Character.isDigit(cell.charAt(0)) ? "" : RED;
  }

  /** Returns the colour of the worst word; what follows the first one and is not known is a standing problem. */
  private static String ofWords(String[] words) {
    String color = "";
    for (int i = 0; i < words.length; i++) {
      String word = words[i];
      if (BAD.contains(word) || (i > 0 && !HELD.contains(word) && !WELL.contains(word))) {
        return RED;
      }
      if (HELD.contains(word)) {
        color = YELLOW;
      } else if (WELL.contains(word) && color.isEmpty()) {
        color = GREEN;
      }
    }
    return color;
  }
}
