// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which attempt counts; an attempt is the share that the machine took here. */
class RepeatsTest {
  private static final int LIMIT = 2;

  private final List<Integer> made = new ArrayList<>();

  private Repeats.Round<Integer> measure(Integer... shares) throws IOException {
    return Repeats.measure(
        () -> {
          Integer share = shares[made.size()];
          made.add(share);
          return share;
        },
        share -> share <= LIMIT);
  }

  @Test
  void anAttemptThatWasLeftAlone_counts_andIsTheOnlyOne() throws IOException {
    assertThat(measure(1, 0)).isEqualTo(new Repeats.Round<>(List.of(), 1));
    assertThat(made).containsExactly(1);
  }

  @Test
  void disturbedAttempts_areDiscarded_untilOneWasLeftAlone() throws IOException {
    assertThat(measure(5, 3, 2, 0)).isEqualTo(new Repeats.Round<>(List.of(5, 3), 2));
    assertThat(made).containsExactly(5, 3, 2);
  }

  @Test
  void theThirdRepeat_counts_whenItWasLeftAlone() throws IOException {
    assertThat(measure(5, 4, 3, 1)).isEqualTo(new Repeats.Round<>(List.of(5, 4, 3), 1));
  }

  @Test
  void afterThreeRepeats_noneCounts_notEvenTheLeastDisturbed() throws IOException {
    assertThat(measure(5, 3, 4, 9, 0)).isEqualTo(new Repeats.Round<>(List.of(5, 3, 4, 9), null));
    assertThat(made).hasSize(4);
  }
}
