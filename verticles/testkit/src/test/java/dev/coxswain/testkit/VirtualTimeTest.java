// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.spi.Alarm;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time until the next alarm is that of the earliest one that is set. */
class VirtualTimeTest {

  @Test
  void untilNext_isThatOfTheEarliestAlarm_andEmptyWithoutOne() {
    VirtualTime time = new VirtualTime();
    Alarm early = time.create(() -> {});
    Alarm late = time.create(() -> {});
    assertThat(time.untilNext()).isEmpty();

    late.set(time.nanos() + 5_000_000);
    early.set(time.nanos() + 2_000_000);
    assertThat(time.untilNext()).contains(Duration.ofMillis(2));

    early.clear();
    assertThat(time.untilNext()).contains(Duration.ofMillis(5));
    time.advanceToNext();
    assertThat(time.untilNext()).isEmpty();
  }
}
