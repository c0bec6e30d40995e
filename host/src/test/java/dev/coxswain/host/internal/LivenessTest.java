// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.probes.Check;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LivenessTest {

  private static final String EXHAUSTED = "its workers have been exhausted for 61 s";
  private static final Check LOOPS = Check.of("event-loops", null);

  private static List<Check> alive(Duration limit) {
    return new Liveness(
            List.of(() -> List.of(LOOPS)), () -> Map.of("demo", Duration.ofSeconds(61)), limit)
        .alive();
  }

  @Test
  void exhaustedWorkers_endTheProcess_onlyAfterTheConfiguredTime() {
    assertThat(alive(Duration.ZERO))
        .containsExactly(LOOPS, Check.shown("controller/demo", EXHAUSTED));
    assertThat(alive(Duration.ofMinutes(2)))
        .containsExactly(LOOPS, Check.shown("controller/demo", EXHAUSTED));
    assertThat(alive(Duration.ofMinutes(1)))
        .containsExactly(LOOPS, Check.of("controller/demo", EXHAUSTED));
  }
}
