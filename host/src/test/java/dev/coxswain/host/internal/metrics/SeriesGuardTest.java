// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class SeriesGuardTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final SeriesGuard guard = SeriesGuard.of(registry);

  @Test
  void aMeterWithTooManySeries_getsNoMore_othersDo_andTheRefusalsAreCounted() {
    for (int i = 0; i < SeriesGuard.MAX_SERIES + 10; i++) {
      registry.counter("wild", "label", "value" + i).increment();
    }
    registry.counter("tame", "label", "value").increment();
    assertThat(registry.getMeters()).hasSize(SeriesGuard.MAX_SERIES + 1);
    assertThat(guard.refused()).isEqualTo(10);
  }

  @Test
  void aSeriesThatIsRemoved_makesRoomForAnother() {
    for (int i = 0; i < SeriesGuard.MAX_SERIES; i++) {
      registry.counter("wild", "label", "value" + i);
    }
    registry.remove(registry.counter("wild", "label", "value0"));
    registry.counter("wild", "label", "another").increment();
    assertThat(registry.getMeters()).hasSize(SeriesGuard.MAX_SERIES);
    assertThat(guard.refused()).isZero();
  }
}
