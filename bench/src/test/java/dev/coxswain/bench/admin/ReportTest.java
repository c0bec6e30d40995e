// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The printed report of a run, and the figures of the machine in it. */
class ReportTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(bytes, true, StandardCharsets.UTF_8));

  private String printed() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static Repeats.Round<Attempt> repeated() {
    return new Repeats.Round<>(
        List.of(Attempts.of(Figure.P99, 71), Attempts.of(Figure.STOLEN_WITH, 9)),
        Attempts.of(Figure.P99, 33));
  }

  @Test
  void discardedAttempts_areShownWithTheirFigures_andTheOneThatCountsIsMarked() {
    report.attempts(2, Part.FIRST_PAGE, repeated());
    assertThat(printed().lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith("| 2 | first page of 100 | discarded | calls 0, ")
                    .contains("p99 71.0 ms", " | 0.0 % | 0.0 % | "),
            line ->
                assertThat(line)
                    .startsWith("| 2 | first page of 100 | discarded | calls 0, ")
                    .contains(" | 0.0 % | 9.0 % | "),
            line ->
                assertThat(line)
                    .startsWith("| 2 | first page of 100 | yes | calls 0, ")
                    .contains("p99 33.0 ms", " | 0.0 % | 0.0 % | "));
  }

  @Test
  void whatHeldALoop_isToldOfDiscardedAttempts_too() {
    report.held(List.of(new PartSummary(Part.FIRST_PAGE, List.of(repeated()))));
    assertThat(printed().lines().filter(line -> line.startsWith("- ")))
        .containsExactly(
            "- round 1, first page of 100 (discarded), p99",
            "- round 1, first page of 100 (discarded), stolen with",
            "- round 1, first page of 100, p99");
  }

  @Test
  void attemptsThatCount_andThoseThatWereDiscarded_areCounted() {
    Repeats.Round<Attempt> none = new Repeats.Round<>(repeated().discarded(), null);
    report.verdicts(Attempts.run(Part.FIRST_PAGE, List.of(repeated(), none)));
    assertThat(printed()).contains("Of 9 attempts 5 count; 4 were discarded, ");
  }

  @Test
  void aRoundThatDoesNotCount_isShown_andLeftOutOfTheSummary() {
    Repeats.Round<Attempt> none = new Repeats.Round<>(repeated().discarded(), null);
    report.attempts(1, Part.FIRST_PAGE, none);
    report.held(List.of(new PartSummary(Part.FIRST_PAGE, List.of(none))));
    assertThat(printed()).contains("discarded").doesNotContain("| yes |", "p99 33.0 ms");
    report.summary(Attempts.run(Part.FIRST_PAGE, List.of(none, none, repeated())), 3);
    report.summary(Attempts.run(Part.ALL_COUNTS, List.of(none)), 1);
    assertThat(printed())
        .contains("| first page of 100 (1 of 3 rounds count) | 0 | 0.0 ms | 33.0 ms | 0.0 ms |")
        .contains(
            "| counts of all controllers (0 of 1 rounds count) | none | none | none | none |");
  }

  @Test
  void anAttemptIsDisturbed_whenTheMachineTookMoreThanTheLimit_ofEitherHalf() {
    assertThat(Attempts.of(Figure.STOLEN_WITHOUT, 2).leftAlone(2)).isTrue();
    assertThat(Attempts.of(Figure.STOLEN_WITHOUT, 2.01).leftAlone(2)).isFalse();
    assertThat(Attempts.of(Figure.STOLEN_WITH, 2.01).leftAlone(2)).isFalse();
  }
}
