// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartTimelineTest {

  /** The JDK knows the boot of the machine to a second only, which shifted all rows by up to that. */
  @Test
  void theAgeOfAProcess_isCountedFromTheTicksOfItsStart(@TempDir Path folder) throws IOException {
    Path stat = folder.resolve("stat");
    Path uptime = folder.resolve("uptime");
    Files.writeString(
        stat, "71 (a ) b) S 1 71 71 0 -1 4194304 9 0 0 0 3 1 0 0 20 0 30 0 123456 99 9\n");
    Files.writeString(uptime, "1234.81 2000.00\n");
    assertThat(StartTimeline.age(stat, uptime)).contains(Duration.ofMillis(250));
    assertThat(StartTimeline.age(folder.resolve("none"), uptime)).isEmpty();
    Files.writeString(stat, "71 (a) S\n");
    assertThat(StartTimeline.age(stat, uptime)).isEmpty();
  }

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
