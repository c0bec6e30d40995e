// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.bench.run.Arguments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The amounts of a run.
 */
record WholePlan(Arguments arguments) {
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

  /**
   * Returns the options and their defaults. What the script does not explain: {@code failing}, how
   * many objects fail, one after the other, before as many whose gaps count; {@code starts} in a
   * round; {@code settle}, the seconds before an idle process is measured.
   */
  static Map<String, String> options(boolean quick) {
    return Map.ofEntries(
        Map.entry("out", ""),
        Map.entry("app", ""),
        Map.entry("jvm", " "),
        Map.entry("rounds", quick ? "1" : "3"),
        Map.entry("only", Arguments.ALL),
        Map.entry("rows", Arguments.ALL),
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

  Path out() {
    return Path.of(arguments.text("out"));
  }

  int number(String option) {
    return arguments.number(option);
  }

  Duration seconds(String option) {
    return Duration.ofSeconds(number(option));
  }

  boolean measures(String subject) {
    return subject.equals(SubjectStarter.CACHED)
        ? !arguments.has("no-start-cache") && measures(SubjectStarter.COXSWAIN)
        : arguments.names("only", SUBJECTS).contains(subject);
  }

  /** Returns whether one of these rows is measured. */
  boolean has(String... some) {
    return arguments.names("rows", ROWS).stream().anyMatch(List.of(some)::contains);
  }
}
