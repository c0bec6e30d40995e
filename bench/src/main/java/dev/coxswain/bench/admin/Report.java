// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.bench.admin.part.Figure;
import dev.coxswain.bench.admin.part.Options;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints every attempt, then what counts of them, and whether the budgets are met. */
final class Report {
  private static final String LOOPS =
      "stolen without | with | attempts/s without | with | change | longest work without | with"
          + " | over 5 ms without | with | by the machine without | with | late without | with |";
  private static final String LOOP_RULES = "---:|".repeat(13);
  private static final List<Figure> OF_CALLS =
      List.of(Figure.CALLS, Figure.P50, Figure.P99, Figure.LONGEST);

  private final PrintStream out;

  Report(PrintStream out) {
    this.out = out;
  }

  /** Prints the rule of measurement, and begins the table of all attempts. */
  void begin(Options options) {
    out.printf(
        "%d rounds of %d s without and %d s with calls for each part. An attempt at a part counts"
            + " when the machine took (stolen) at most %d %% of all cores in each half; else it is"
            + " made again, at most %d times, and then the round does not count.%n%n",
        options.rounds(), options.seconds(), options.seconds(), options.mostSteal(), Repeats.MOST);
    out.println("| round | while | counts | " + LOOPS + " answers |");
    out.println("|---:|---|---|" + LOOP_RULES + "---|");
  }

  /** Prints all attempts of a round of one part. */
  void attempts(int round, String part, Repeats.Round<Attempt> attempts) {
    attempts.discarded().forEach(attempt -> attempt(round, part, "discarded", attempt));
    Attempt counted = attempts.counted();
    if (counted != null) {
      attempt(round, part, "yes", counted);
    }
  }

  private void attempt(int round, String part, String counts, Attempt attempt) {
    out.println(
        Stream.of(
                Integer.toString(round),
                part,
                counts,
                loops(attempt::text),
                attempt.figures().keySet().stream()
                    .filter(figure -> figure.compareTo(Figure.CALLS) >= 0)
                    .map(figure -> figure.label() + " " + attempt.text(figure))
                    .collect(Collectors.joining(", ")))
            .collect(Collectors.joining(" | ", "| ", " |")));
  }

  /** Prints the summary of all rounds. */
  void summary(List<PartSummary> parts, int rounds) {
    out.printf(
        "%nMedian of %d rounds (worst round); numbers of looks, calls and dumps are sums:%n%n",
        rounds);
    out.println("| call | calls | p50 | p99 | longest |\n|---|---:|---:|---:|---:|");
    for (PartSummary part : parts) {
      if (part.has(Figure.CALLS)) {
        out.println(
            OF_CALLS.stream()
                .map(part::cell)
                .collect(Collectors.joining(" | ", "| " + title(part) + " | ", " |")));
      }
    }
    out.println();
    for (PartSummary part : parts) {
      if (!part.has(Figure.CALLS)) {
        out.println(
            part.figures().stream()
                .filter(figure -> figure.compareTo(Figure.CALLS) >= 0)
                .map(figure -> figure.label() + " " + part.cell(figure))
                .collect(Collectors.joining(", ", "- " + title(part) + ": ", "")));
      }
    }
    out.println("\n| while | " + LOOPS + "\n|---|" + LOOP_RULES);
    parts.forEach(part -> out.println("| " + title(part) + " | " + loops(part::cell) + " |"));
  }

  private static String title(PartSummary part) {
    return part.name() + part.remark();
  }

  private static String loops(Function<Figure, String> text) {
    return Stream.of(
            text.apply(Figure.STOLEN_WITHOUT),
            text.apply(Figure.STOLEN_WITH),
            text.apply(Figure.RATE_WITHOUT),
            text.apply(Figure.RATE_WITH),
            text.apply(Figure.CHANGE),
            text.apply(Figure.WORK_WITHOUT),
            text.apply(Figure.WORK_WITH),
            text.apply(Figure.OVER_WITHOUT) + " of " + text.apply(Figure.LOOKS_WITHOUT),
            text.apply(Figure.OVER_WITH) + " of " + text.apply(Figure.LOOKS_WITH),
            text.apply(Figure.MACHINE_WITHOUT),
            text.apply(Figure.MACHINE_WITH),
            text.apply(Figure.LATE_WITHOUT),
            text.apply(Figure.LATE_WITH))
        .collect(Collectors.joining(" | "));
  }

  /** Prints each time that an event loop was held, also in the attempts that do not count. */
  void held(List<PartSummary> parts) {
    out.println("\nLooks that found more than 5 ms of work, or seemed to:");
    for (PartSummary part : parts) {
      for (int i = 0; i < part.rounds().size(); i++) {
        String where = "- round " + (i + 1) + ", " + part.name();
        Repeats.Round<Attempt> round = part.rounds().get(i);
        round.discarded().forEach(attempt -> held(where + " (discarded)", attempt));
        Attempt counted = round.counted();
        if (counted != null) {
          held(where, counted);
        }
      }
    }
  }

  private void held(String where, Attempt attempt) {
    attempt.held().forEach(one -> out.println(where + ", " + one));
  }

  /** Prints whether the budgets are met, and the number of attempts behind that. */
  void verdicts(List<PartSummary> parts) {
    out.println("\nBudgets:");
    Verdict.of(parts).forEach(verdict -> out.println("- " + verdict.line()));
    out.printf(
        "%nOf %d attempts %d count; %d were discarded, because the machine took too much.%n",
        sum(parts, part -> part.counts() + part.discarded()),
        sum(parts, PartSummary::counts),
        sum(parts, PartSummary::discarded));
  }

  private static int sum(List<PartSummary> parts, Function<PartSummary, Integer> of) {
    return parts.stream().mapToInt(of::apply).sum();
  }
}
