// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.run.Arguments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The amounts of a run.
 *
 * @param only the subjects that are measured; empty for all
 * @param rows the rows that are measured
 * @param objects how many objects the busy process has
 * @param updates how many of them are updated at full speed
 * @param paced how long objects are updated at a rate
 * @param failing how many objects fail, one after the other, before as many whose gaps count
 * @param controllers how many controllers the process with many of them has, and objects
 * @param starts how many starts a round has
 * @param settle the time before an idle process is measured
 * @param idle the time in which it is
 * @param cache whether starts with a start cache are measured, too
 */
record WholePlan(
    Path out,
    int rounds,
    Set<String> only,
    Set<String> rows,
    int objects,
    int updates,
    Duration paced,
    int failing,
    int controllers,
    int starts,
    Duration settle,
    Duration idle,
    boolean cache) {
  /** Updates per second when they are paced. */
  static final int RATE = 300;

  static final String FILL = "fill";
  static final String UPDATES = "updates";
  static final String PACED = "paced";
  static final String RETRIES = "retries";
  static final String MANY = "many";
  static final String START = "start";
  static final String IDLE = "idle";

  private static final List<String> ROWS =
      List.of(FILL, UPDATES, PACED, RETRIES, MANY, START, IDLE);

  private static final List<String> SUBJECTS =
      List.of(SubjectStarter.COXSWAIN, SubjectStarter.OFFICIAL, SubjectStarter.JOSDK);

  private static final String ALL = "all";

  /** Returns the options and their defaults. */
  static Map<String, String> options(boolean quick) {
    return Map.ofEntries(
        Map.entry("out", ""),
        Map.entry("app", ""),
        Map.entry("jvm", " "),
        Map.entry("rounds", quick ? "1" : "3"),
        Map.entry("only", ALL),
        Map.entry("rows", ALL),
        Map.entry("objects", "10000"),
        Map.entry("updates", "5000"),
        Map.entry("paced", quick ? "5" : "8"),
        Map.entry("failing", "6"),
        Map.entry("controllers", "100"),
        Map.entry("starts", quick ? "1" : "2"),
        Map.entry("settle", quick ? "2" : "4"),
        Map.entry("idle", quick ? "4" : "8"),
        Map.entry("no-start-cache", "false"));
  }

  static WholePlan of(Arguments arguments) {
    return new WholePlan(
        Path.of(arguments.text("out")),
        arguments.number("rounds"),
        names(arguments, "only", SUBJECTS),
        names(arguments, "rows", ROWS),
        arguments.number("objects"),
        Math.min(arguments.number("updates"), arguments.number("objects")),
        Duration.ofSeconds(arguments.number("paced")),
        arguments.number("failing"),
        arguments.number("controllers"),
        arguments.number("starts"),
        Duration.ofSeconds(arguments.number("settle")),
        Duration.ofSeconds(arguments.number("idle")),
        !arguments.has("no-start-cache"));
  }

  private static Set<String> names(Arguments arguments, String option, List<String> known) {
    String given = arguments.text(option);
    Set<String> names = new HashSet<>(given.equals(ALL) ? known : List.of(given.split(",", -1)));
    if (!known.containsAll(names)) {
      throw new IllegalArgumentException(
          "--" + option + ": expected " + ALL + " or some of " + known + ", found " + given);
    }
    return names;
  }

  /** Returns whether one of these rows is measured. */
  boolean has(String... some) {
    return List.of(some).stream().anyMatch(rows::contains);
  }
}
