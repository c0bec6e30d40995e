// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Starts;
import java.util.List;
import java.util.Locale;

/**
 * The result of a scenario; written as a row of a Markdown table.
 *
 * <p>Thread rule: immutable.
 *
 * @param budget rate and burst
 * @param limiter {@code shared}, or {@code per process} for the contrast
 * @param scenario what was done
 * @param excess by how many retries the worst window exceeded the promise; at most 0 when it was
 *     kept
 * @param pause the longest time in seconds in which nothing was started in the whole cluster
 * @param lull the longest time in seconds in which less than half of the rate was used
 * @param used which part of the rate was used over the whole time, such as 0.97
 * @param unfairBefore how far from an equal share a replica was before, see {@link
 *     Starts#unfairness}
 * @param unfairAfter the same afterwards
 * @param recovered after how many seconds all replicas were well again, or a word
 * @param perReplica how many retries each replica started
 * @param warnings how many warnings the replicas logged
 * @param errors how many errors they logged
 * @param note further findings, mostly none
 */
record Row(
    String budget,
    String limiter,
    String scenario,
    double excess,
    double pause,
    double lull,
    double used,
    double unfairBefore,
    double unfairAfter,
    String recovered,
    String perReplica,
    int warnings,
    int errors,
    String note) {

  /** Returns the head of a Markdown table of rows. */
  static String head() {
    List<String> names =
        List.of(
            "rate, burst",
            "limiter",
            "what happens",
            "worst window excess",
            "longest pause s",
            "longest below half s",
            "rate used",
            "unfair before",
            "unfair after",
            "well again s",
            "retries per replica",
            "warnings",
            "errors",
            "note");
    return "| "
        + String.join(" | ", names)
        + " |\n|---|---|---|"
        + "---:|".repeat(7)
        + "---|---:|---:|---|";
  }

  /** Returns this row for a Markdown table. */
  String markdown() {
    return "| " + String.join(" | ", cells()) + " |";
  }

  /** Returns whether the promise was kept and nothing else went wrong. */
  boolean good() {
    return excess <= 0 && note.isEmpty();
  }

  private List<String> cells() {
    return List.of(
        budget,
        limiter,
        scenario,
        number(excess, 1),
        number(pause, 2),
        number(lull, 1),
        number(100 * used, 0) + " %",
        number(100 * unfairBefore, 1) + " %",
        number(100 * unfairAfter, 1) + " %",
        recovered,
        perReplica,
        Integer.toString(warnings),
        Integer.toString(errors),
        note);
  }

  private static String number(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
