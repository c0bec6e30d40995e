// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class StartTimelineTest {

  @Test
  void aTimeline_hasEachStepWithItsEnd_andTheTimeSinceTheStepBefore() {
    Instant begin = Instant.EPOCH;
    StartTimeline timeline = new StartTimeline(begin);
    timeline.mark("Java process", begin.plusMillis(40));
    timeline.mark("ready", begin.plusMillis(1_140));
    assertThat(timeline.table().lines())
        .containsExactly(
            "   at ms     + ms  step",
            "      40       40  Java process",
            "    1140     1100  ready");
  }
}
