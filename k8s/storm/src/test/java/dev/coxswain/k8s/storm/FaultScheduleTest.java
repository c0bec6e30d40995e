// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.storm.FaultSchedule.Entry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultScheduleTest {

  private static final int SEEDS = 300;

  @Test
  void everyFaultHappensAsOftenAsAsked_neverBesideItself_andIsOverBeforeTheEnd() {
    for (long seed = 0; seed < SEEDS; seed++) {
      for (Duration time : List.of(Duration.ofSeconds(5), Duration.ofSeconds(60))) {
        FaultSchedule schedule = FaultSchedule.of(seed, time, 2);
        for (StormFault fault : StormFault.values()) {
          List<Entry> twins =
              schedule.entries().stream().filter(entry -> entry.fault() == fault).toList();
          assertThat(twins).as("seed %s", seed).hasSize(2);
          assertThat(twins.get(0).overlaps(twins.get(1))).as("seed %s: %s", seed, twins).isFalse();
        }
        assertThat(schedule.entries())
            .as("seed %s", seed)
            .allMatch(entry -> entry.end().compareTo(time) < 0);
      }
    }
  }

  @Test
  void manyFaultsOverlap() {
    for (long seed = 0; seed < SEEDS; seed++) {
      assertThat(FaultSchedule.of(seed, Duration.ofSeconds(60), 2).overlapping())
          .as("seed %s", seed)
          .isGreaterThanOrEqualTo(4);
    }
  }

  @Test
  void sameSeed_makesTheSamePlan() {
    assertThat(FaultSchedule.of(7, Duration.ofSeconds(60), 2))
        .isEqualTo(FaultSchedule.of(7, Duration.ofSeconds(60), 2))
        .isNotEqualTo(FaultSchedule.of(8, Duration.ofSeconds(60), 2));
  }
}
