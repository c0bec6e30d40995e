// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a budget is met. */
class VerdictTest {
  private static final int LOOPS = 3;

  /** Returns the verdicts "not met" of a run in which one figure of a part is as given. */
  private static List<String> missed(String part, Figure figure, double... rounds) {
    return lines(part, figure, rounds).stream().filter(line -> line.contains("not met")).toList();
  }

  private static List<String> lines(String part, Figure figure, double... rounds) {
    List<Repeats.Round<Attempt>> all =
        Arrays.stream(rounds)
            .mapToObj(value -> Attempts.counted(Attempts.of(figure, value)))
            .toList();
    return Verdict.of(Attempts.run(part, all)).stream().map(Verdict::line).toList();
  }

  @Test
  void aRunWithinAllBudgets_meetsEachOfThem() {
    assertThat(lines(Part.FIRST_PAGE, Figure.P99, 99.9))
        .hasSize(6)
        .allMatch(line -> line.contains(": met, "));
  }

  @Test
  void theMedianDecides_andTheWorstRoundIsToldBesideIt() {
    assertThat(lines(Part.ALL_COUNTS, Figure.P99, 500, 19.9, 10))
        .contains(
            "counts of all controllers, p99 under 20.0 ms: met, 19.9 ms, worst round 500.0 ms");
    assertThat(missed(Part.ALL_COUNTS, Figure.P99, 1, 20.1, 21))
        .containsExactly(
            "counts of all controllers, p99 under 20.0 ms: not met, 20.1 ms, worst round 21.0 ms");
  }

  @Test
  void aP99AtTheLimit_isNotUnderIt() {
    assertThat(missed(Part.FIRST_PAGE, Figure.P99, 100)).hasSize(1);
    assertThat(missed(Part.ALL_COUNTS, Figure.P99, 20)).hasSize(1);
    assertThat(missed(Part.ONE_COUNTS, Figure.P99, 20)).hasSize(1);
  }

  @Test
  void aPageOfOneNamespace_hasNoBudget() {
    assertThat(missed(Part.NAMESPACE_PAGE, Figure.P99, 5_000)).isEmpty();
  }

  @Test
  void oneLookOverFiveMilliseconds_withCalls_inAnyRoundOfAnyPart_isTooMany() {
    assertThat(missed(Part.NAMESPACE_PAGE, Figure.OVER_WITH, 0, 0, 1))
        .containsExactly(
            "event loops never held for more than 5 ms by own work: not met,"
                + " 1 of 7000 looks with calls, 0 of 6300 without");
  }

  @Test
  void looksOverFiveMilliseconds_withoutCalls_areOnlyTold() {
    assertThat(lines(Part.FLUSH, Figure.OVER_WITHOUT, 3))
        .contains(
            "event loops never held for more than 5 ms by own work: met,"
                + " 0 of 5000 looks with calls, 3 of 4500 without");
  }

  @Test
  void thePartWhoseThroughputChangedMost_decides_inBothDirections() {
    assertThat(missed(Part.FLUSH, Figure.CHANGE, -5)).isEmpty();
    assertThat(missed(Part.FLUSH, Figure.CHANGE, -5.1))
        .containsExactly(
            "throughput within 5 % in every part: not met,"
                + " flush, stopped in the middle -5.1 %, worst round -5.1 %");
    assertThat(missed(Part.ONE_COUNTS, Figure.CHANGE, 5.1)).hasSize(1);
  }

  @Test
  void aThroughputThatCannotBeCompared_isNotMet() {
    assertThat(missed(Part.ONE_COUNTS, Figure.CHANGE, Double.NaN)).hasSize(1);
  }

  @Test
  void aFlushThatTakesLongToStop_orGoesOn_orHadEndedByItself_isNotStopped() {
    assertThat(missed(Part.FLUSH, Figure.STOP, 1_000)).isEmpty();
    assertThat(missed(Part.FLUSH, Figure.STOP, 1_001)).hasSize(1);
    assertThat(missed(Part.FLUSH, Figure.FLUSHED_AFTER, 0, 1, 0)).hasSize(1);
    assertThat(missed(Part.FLUSH, Figure.ENDED_BEFORE, 0, 1, 0)).hasSize(1);
  }

  private static Repeats.Round<Attempt> discarded(double p99) {
    return new Repeats.Round<>(List.of(Attempts.of(Figure.P99, p99)), null);
  }

  private static String firstPage(List<Repeats.Round<Attempt>> rounds) {
    return Verdict.of(Attempts.run(Part.FIRST_PAGE, rounds)).getFirst().line();
  }

  @Test
  void whatWasDiscarded_doesNotCount_whileHalfOfTheRoundsDo() {
    Repeats.Round<Attempt> good =
        new Repeats.Round<>(List.of(Attempts.of(Figure.P99, 999)), Attempts.of(Figure.P99, 10));
    assertThat(firstPage(List.of(good, discarded(999))))
        .isEqualTo(
            "first page of 100, p99 under 100.0 ms: met,"
                + " 10.0 ms, worst round 10.0 ms (1 of 2 rounds count)");
  }

  @Test
  void fewerRoundsThanHalf_areNoMeasurement_howeverGoodOrBad() {
    for (double p99 : new double[] {10, 999}) {
      Repeats.Round<Attempt> counted = Attempts.counted(Attempts.of(Figure.P99, p99));
      assertThat(firstPage(List.of(counted, discarded(1), discarded(1))))
          .startsWith("first page of 100, p99 under 100.0 ms: not measured, ");
    }
    assertThat(firstPage(List.of(discarded(1)))).contains(": not measured, ");
  }

  @Test
  void loops_areNotMeasured_whenOnePartIsNot_butOneLookIsEnoughToMissThem() {
    List<PartSummary> run = Attempts.run(Part.FLUSH, List.of(discarded(1)));
    assertThat(Verdict.of(run).get(LOOPS).outcome()).isEqualTo("not measured");
    Repeats.Round<Attempt> held = Attempts.counted(Attempts.of(Figure.OVER_WITH, 1));
    run = Attempts.run(Part.FLUSH, List.of(held, discarded(1), discarded(1)));
    assertThat(Verdict.of(run).get(LOOPS).outcome()).isEqualTo("not met");
  }

  @Test
  void throughput_isNotMeasured_whenOnePartIsNot() {
    List<PartSummary> run = Attempts.run(Part.FLUSH, List.of(discarded(1)));
    assertThat(Verdict.of(run).stream().map(Verdict::line))
        .anyMatch(line -> line.startsWith("throughput within 5 % in every part: not measured"));
  }
}
