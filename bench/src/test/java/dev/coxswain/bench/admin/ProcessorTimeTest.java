// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What share of all cores the machine took. */
class ProcessorTimeTest {

  @Test
  void theShareIsThatOfAllTimeOfAllCores_idleIncluded_guestsCountedOnce() {
    ProcessorTime begin = ProcessorTime.of(List.of("cpu  100 10 20 300 5 1 4 60 50 7", "cpu0 1"));
    ProcessorTime end = ProcessorTime.of(List.of("cpu  150 10 40 400 5 1 4 90 90 7", "cpu0 2"));
    assertThat(begin).isEqualTo(new ProcessorTime(60, 500));
    assertThat(end.stolenSince(begin)).isEqualTo(15.0);
  }

  @Test
  void whereNobodyCounts_theShareIsZero() {
    ProcessorTime none = ProcessorTime.of(List.of());
    assertThat(none.stolenSince(none)).isZero();
    ProcessorTime old = ProcessorTime.of(List.of("cpu  100 10 20 300"));
    assertThat(ProcessorTime.of(List.of("cpu  200 10 20 300")).stolenSince(old)).isZero();
  }
}
