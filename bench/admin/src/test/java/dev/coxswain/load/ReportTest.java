// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told of a run, and what its halves say of the machine. */
class ReportTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(bytes, true, StandardCharsets.UTF_8));

  private String printed() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static Repeats.Round<Attempt> disturbed() {
    return new Repeats.Round<>(
        List.of(Attempts.of(Figure.P99, 71), Attempts.of(Figure.STOLEN_WITH, 9)),
        Attempts.of(Figure.P99, 33),
        true);
  }

  @Test
  void discardedAttempts_areShownWithTheirFigures_andTheOneThatCountsIsMarked() {
    report.attempts(2, Part.FIRST_PAGE, disturbed());
    assertThat(printed().lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith("| 2 | first page of 100 | discarded | 0.0 % | 0.0 % |")
                    .contains("p99 71.0 ms"),
            line ->
                assertThat(line)
                    .startsWith("| 2 | first page of 100 | discarded | 0.0 % | 9.0 % |"),
            line ->
                assertThat(line)
                    .startsWith("| 2 | first page of 100 | yes, disturbed | 0.0 % | 0.0 % |")
                    .contains("p99 33.0 ms"));
  }

  @Test
  void whatHeldALoop_isToldOfDiscardedAttempts_too() {
    report.held(List.of(new PartSummary(Part.FIRST_PAGE, List.of(disturbed()))));
    assertThat(printed().lines().filter(line -> line.startsWith("- ")))
        .containsExactly(
            "- round 1, first page of 100 (discarded), p99",
            "- round 1, first page of 100 (discarded), stolen with",
            "- round 1, first page of 100, p99");
  }

  @Test
  void discardedAndDisturbedAttempts_areCounted() {
    report.verdicts(Attempts.run(Part.FIRST_PAGE, List.of(disturbed())));
    assertThat(printed())
        .endsWith("Of 8 attempts 6 count, 1 of them disturbed; 2 were discarded.\n");
  }

  @Test
  void anAttemptIsDisturbed_whenTheMachineTookMoreThanTheLimit_ofEitherHalf() {
    assertThat(Attempts.of(Figure.STOLEN_WITHOUT, 2).leftAlone(2)).isTrue();
    assertThat(Attempts.of(Figure.STOLEN_WITHOUT, 2.01).leftAlone(2)).isFalse();
    assertThat(Attempts.of(Figure.STOLEN_WITH, 2.01).leftAlone(2)).isFalse();
  }
}
