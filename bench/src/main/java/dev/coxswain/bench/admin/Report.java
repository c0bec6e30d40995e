// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints every attempt, then what counts of them, and whether the budgets are met. */
final class Report {
  /** The figures of event loops and of the machine, which each part has. */
  private static final Set<Figure> LOOPS = EnumSet.range(Figure.STOLEN_WITHOUT, Figure.LATE_WITH);

  private static final Set<Figure> OF_CALLS = EnumSet.range(Figure.CALLS, Figure.LONGEST);

  private final PrintStream out;

  Report(PrintStream out) {
    this.out = out;
  }

  /** Prints the rule of measurement, and begins the table of all attempts. */
  void begin(int rounds, int seconds, int mostSteal) {
    out.printf(
        "%d rounds of %d s without and %d s with calls for each part. An attempt at a part counts"
            + " when the machine took (stolen) at most %d %% of all cores in each half; else it is"
            + " made again, at most %d times, and then the round does not count.%n%n",
        rounds, seconds, seconds, mostSteal, Repeats.MOST);
    header(LOOPS, "round", "while", "counts", "answers");
  }

  private void header(Set<Figure> figures, String... leading) {
    row(
        Arrays.stream(leading).collect(Collectors.joining(" | ")),
        figures.stream().map(Figure::label));
    out.println("|---".repeat(leading.length) + "|---:".repeat(figures.size()) + "|");
  }

  private void row(String leading, Stream<String> cells) {
    out.println(
        Stream.concat(Stream.of(leading), cells).collect(Collectors.joining(" | ", "| ", " |")));
  }

  /** Prints all attempts of a round of one part. */
  void attempts(int round, String part, Repeats.Round<Attempt> attempts) {
    String leading = round + " | " + part + " | ";
    each(
        attempts,
        (attempt, discarded) ->
            row(
                leading + (discarded ? "discarded" : "yes") + " | " + answers(attempt),
                LOOPS.stream().map(attempt::text)));
  }

  private static String answers(Attempt attempt) {
    return answers(attempt.figures().keySet(), attempt::text);
  }

  private static String answers(Set<Figure> figures, Function<Figure, String> text) {
    return figures.stream()
        .filter(figure -> !LOOPS.contains(figure))
        .map(figure -> figure.label() + " " + text.apply(figure))
        .collect(Collectors.joining(", "));
  }

  private interface Visitor {
    void attempt(Attempt attempt, boolean discarded);
  }

  private static void each(Repeats.Round<Attempt> round, Visitor visitor) {
    round.discarded().forEach(attempt -> visitor.attempt(attempt, true));
    Attempt counted = round.counted();
    if (counted != null) {
      visitor.attempt(counted, false);
    }
  }

  /** Prints the summary of all rounds. */
  void summary(List<PartSummary> parts, int rounds) {
    out.printf(
        "%nMedian of %d rounds (worst round); numbers of looks and calls are sums:%n%n", rounds);
    header(OF_CALLS, "call");
    parts.stream()
        .filter(part -> part.has(Figure.CALLS))
        .forEach(part -> row(part.title(), OF_CALLS.stream().map(part::cell)));
    out.println();
    parts.stream()
        .filter(part -> !part.has(Figure.CALLS))
        .forEach(
            part -> out.println("- " + part.title() + ": " + answers(part.figures(), part::cell)));
    out.println();
    header(LOOPS, "while");
    parts.forEach(part -> row(part.title(), LOOPS.stream().map(part::cell)));
  }

  /** Prints each time that an event loop was held, also in the attempts that do not count. */
  void held(List<PartSummary> parts) {
    out.println("\nLooks that found more than 5 ms of work:");
    for (PartSummary part : parts) {
      for (int i = 0; i < part.rounds().size(); i++) {
        String where = "- round " + (i + 1) + ", " + part.name();
        each(
            part.rounds().get(i),
            (attempt, discarded) ->
                attempt
                    .held()
                    .forEach(
                        one -> out.println(where + (discarded ? " (discarded), " : ", ") + one)));
      }
    }
  }

  /** Prints whether the budgets are met, and the number of attempts behind that. */
  void verdicts(List<PartSummary> parts) {
    out.println("\nBudgets:");
    Verdict.of(parts).forEach(verdict -> out.println("- " + verdict.line()));
    int counts = parts.stream().mapToInt(PartSummary::counts).sum();
    int discarded = parts.stream().mapToInt(PartSummary::discarded).sum();
    out.printf(
        "%nOf %d attempts %d count; %d were discarded, because the machine took too much.%n",
        counts + discarded, counts, discarded);
  }
}
