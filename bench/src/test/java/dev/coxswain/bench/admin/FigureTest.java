// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a figure over the rounds. */
class FigureTest {

  @Test
  void theMedianCounts_inWhateverOrderTheRoundsCame() {
    assertThat(Figure.P99.of(List.of(30.0, 10.0, 14.0))).isEqualTo(14);
    assertThat(Figure.P99.of(List.of(7.0))).isEqualTo(7);
  }

  @Test
  void ofAnEvenNumberOfRounds_theMeanOfTheTwoInTheMiddleCounts() {
    assertThat(Figure.P99.of(List.of(40.0, 10.0, 20.0, 12.0))).isEqualTo(16);
  }

  @Test
  void looksAreSummed() {
    assertThat(Figure.OVER_WITH.of(List.of(1.0, 0.0, 2.0))).isEqualTo(3);
    assertThat(Figure.OVER_WITH.cell(List.of(1.0, 0.0, 2.0))).isEqualTo("3");
  }

  @Test
  void theWorstRound_isTheSlowest_theLeast_orTheOneThatChangedMost() {
    assertThat(Figure.P99.worst(List.of(30.0, 10.0, 14.0))).isEqualTo(30);
    assertThat(Figure.MATCHED.worst(List.of(30.0, 10.0, 14.0))).isEqualTo(10);
    assertThat(Figure.CHANGE.worst(List.of(0.5, -3.0, 2.0))).isEqualTo(-3);
  }

  @Test
  void theWorstRound_standsBesideTheMedian() {
    assertThat(Figure.P99.cell(List.of(30.0, 10.0, 14.0))).isEqualTo("14.0 ms (30.0 ms)");
  }
}
